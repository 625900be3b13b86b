import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../root.ts";

const programs = {
  args: "console.log(JSON.stringify(process.argv.slice(2)));",
  fail: "process.exitCode = 7;",
  serve: `const open = setInterval(() => {}, 1000);
    process.on("SIGTERM", () => { console.log("drained"); clearInterval(open); });
    console.log("listening");`,
};
const scripts = Object.fromEntries(Object.keys(programs).map((name) => [name, `node ${name}.mjs`]));

/** Creates a workspace without dependencies that starts its scripts like this repository. */
const workspace = (manifest: object = {}): { readonly path: string; [Symbol.dispose](): void } => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "bootstrap-"));
  const { packageManager, config } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const fields = { name: "sample", private: true, packageManager, config, scripts, ...manifest };
  mkdirSync(join(folder.path, "tools"));
  cpSync(join(root, "tools/pnpm.mjs"), join(folder.path, "tools/pnpm.mjs"));
  writeFileSync(join(folder.path, "package.json"), JSON.stringify(fields));
  writeFileSync(join(folder.path, "pnpm-workspace.yaml"), "pmOnFail: ignore\npackages: []\n");
  for (const [name, code] of Object.entries(programs)) writeFileSync(join(folder.path, `${name}.mjs`), code);
  return folder;
};

const start = (cwd: string, ...words: string[]): { status: number | null; lines: string[] } => {
  const { status, stdout } = spawnSync(process.execPath, ["tools/pnpm.mjs", ...words], {
    cwd,
    encoding: "utf8",
  });
  return { status, lines: stdout.trimEnd().split("\n") };
};

test("arguments reach the script unchanged", () => {
  using folder = workspace();
  const words = ["--port", "9000", "two words", "it's", 'a "quote"', "$HOME", "*", ""];
  const { status, lines } = start(folder.path, "args", ...words);
  expect(JSON.parse(lines.at(-1) ?? "")).toEqual(words);
  expect(status).toBe(0);
});

test("the command exits with the script's exit code", () => {
  using folder = workspace();
  expect(start(folder.path, "fail").status).toBe(7);
});

test("the script does not start when the lockfile and package.json disagree", () => {
  using folder = workspace({ dependencies: { "@framework/absent": "1.0.0" } });
  const { status, lines } = start(folder.path, "args", "reached");
  expect(status).not.toBe(0);
  expect(lines.at(-1)).not.toContain("reached");
});

test("the script can finish its work after SIGTERM", async () => {
  using folder = workspace();
  const child = spawn(process.execPath, ["tools/pnpm.mjs", "serve"], { cwd: folder.path });
  let output = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    if (!output.includes("listening") && `${output}${chunk}`.includes("listening")) child.kill("SIGTERM");
    output += chunk;
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(output).toContain("drained");
});
