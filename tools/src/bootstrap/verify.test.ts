import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../root.ts";

interface FakeRun {
  /** Counts that the test run writes, by folder. */
  readonly counts?: Readonly<Record<string, object>>;
  /** Programs that exit with 1. */
  readonly failing?: readonly string[];
  /** Counts of an earlier run. */
  readonly stale?: Readonly<Record<string, object>>;
  readonly ci?: boolean;
}

/** Runs the real verify.mjs with fake programs. */
const verify = ({
  counts = {},
  failing = [],
  stale = {},
  ci = false,
}: FakeRun): { status: number | null; last: string; stdout: string } => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "verify-"));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  };
  for (const [home, value] of Object.entries(stale))
    write(`${home}/test-results.json`, JSON.stringify(value));
  for (const home of Object.keys(counts)) mkdirSync(join(folder.path, home), { recursive: true });
  const results = Object.entries(counts)
    .map(([home, value]) => `echo '${JSON.stringify(value)}' > ${home}/test-results.json\n`)
    .join("");
  for (const name of ["turbo", "node", "pnpm", "oxfmt", "knip"]) {
    const exit = failing.includes(name) ? 1 : 0;
    write(`bin/${name}`, `#!/bin/sh\n${name === "turbo" ? results : ""}echo ${name}\nexit ${exit}\n`);
    chmodSync(join(folder.path, "bin", name), 0o755);
  }
  const PATH = `${join(folder.path, "bin")}${delimiter}${process.env["PATH"]}`;
  const { status, stdout } = spawnSync(process.execPath, [join(root, "tools/verify.mjs")], {
    cwd: folder.path,
    encoding: "utf8",
    env: { ...process.env, CI: ci ? "true" : undefined, PATH },
  });
  return { status, stdout, last: stdout.trimEnd().split("\n").at(-1) ?? "" };
};

const core = { passed: 3, failed: 0, skipped: 1 };
const books = { passed: 4, failed: 0, skipped: 0 };

test("the last line is the sum of all packages", () => {
  const counts = { "packages/core": core, "apps/books": books, tools: books };
  expect(verify({ counts })).toMatchObject({ status: 0, last: "11 passed, 0 failed, 1 skipped" });
});

test("one failed test fails the command", () => {
  expect(verify({ counts: { tools: { passed: 3, failed: 1, skipped: 0 } } })).toMatchObject({
    status: 1,
    last: "3 passed, 1 failed, 0 skipped",
  });
});

test.each(["turbo", "node", "pnpm", "oxfmt", "knip"])(
  "the command fails when %s fails, and still prints the totals last",
  (name) => {
    expect(verify({ counts: { tools: books }, failing: [name] })).toMatchObject({
      status: 1,
      last: "4 passed, 0 failed, 0 skipped",
    });
  },
);

test("a run without tests fails, despite counts of an earlier run", () => {
  expect(verify({ stale: { "packages/core": core } })).toMatchObject({
    status: 1,
    last: "0 passed, 0 failed, 0 skipped",
  });
});

test("a skipped test fails the command in CI only", () => {
  expect(verify({ counts: { "packages/core": core }, ci: false }).status).toBe(0);
  expect(verify({ counts: { "packages/core": core }, ci: true }).status).toBe(1);
  expect(verify({ counts: { "packages/core": books }, ci: true }).status).toBe(0);
});

test("every failed test is named at the end, with the beginning of its message", () => {
  const failures = [{ file: "src/a.test.ts", test: "adds", message: "Expected: 3" }];
  const { stdout } = verify({
    counts: { "packages/core": core, tools: { passed: 3, failed: 1, skipped: 0, failures } },
  });
  expect(stdout).toMatch(
    /FAILED tools\/src\/a\.test\.ts › adds\nExpected: 3\n6 passed, 1 failed, 1 skipped\n$/,
  );
});

test("SIGTERM ends all steps of a run and removes its temporary files", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "verify-"));
  for (const name of ["turbo", "node"]) {
    writeFileSync(join(folder.path, name), '#!/bin/sh\necho "in ${TMPDIR:-none},"\nexec sleep 300\n');
    chmodSync(join(folder.path, name), 0o755);
  }
  const child = spawn(process.execPath, [join(root, "tools/verify.mjs")], {
    cwd: folder.path,
    env: { ...process.env, TMPDIR: undefined, PATH: `${folder.path}${delimiter}${process.env["PATH"]}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let out = "";
  let isKilled = false;
  for await (const piece of child.stdout) {
    out += String(piece);
    if (isKilled || out.split(",").length <= 2) continue;
    isKilled = child.kill("SIGTERM"); // several steps run; a second signal would end verify immediately. The output ends when the last process has ended
  }
  expect(await exited).toEqual([null, "SIGTERM"]);
  const [, place = ""] = /^in (.*),$/m.exec(out) ?? [];
  expect([place === "", existsSync(place)]).toEqual([false, false]);
});
