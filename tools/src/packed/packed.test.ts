import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { generateWorkspace, pack } from "./generated-workspace.ts";
import { PROGRAM, tsconfig } from "./program.ts";
import { run, runTool } from "./run-node.ts";

const folder = mkdtempSync(join(tmpdir(), "packed-"));
const greeting = join(folder, "packages/greeting");
const project = join(folder, "project");

beforeAll(() => {
  generateWorkspace(root, folder, "greeting");
  runTool(greeting, root, "typescript/bin/tsc", "-b");
  const tarballs = pack(folder, ["core", "greeting"]);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "name": "project", "private": true, "type": "module" }');
  run(project, "npm", "install", "--offline", "--no-audit", "--no-fund", ...tarballs);
  writeFileSync(join(project, "program.ts"), PROGRAM);
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(tsconfig(join(root, "node_modules/@types"))));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a package from the generator passes its lint", () => {
  expect(runTool(greeting, root, "oxlint/bin/oxlint", "src")).toContain("0 errors");
});

test("a package from the generator passes its own tests", () => {
  const flags = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"];
  const jest = join(root, "node_modules/jest/bin/jest.js");
  run(greeting, process.execPath, ...flags, jest, "--config", "../../jest.config.js", "--rootDir", ".");
  expect(JSON.parse(readFileSync(join(greeting, "test-results.json"), "utf8"))).toMatchObject({
    failed: 0,
    passed: 3,
  });
});

test.each(["core", "greeting"])(
  "the tarball of %s holds builds, README and licence, no tests and no maps",
  (name) => {
    const installed = join(project, "node_modules/@framework", name);
    for (const path of ["dist/index.js", "dist/index.d.ts", "README.md", "LICENSE"]) {
      expect([path, existsSync(join(installed, path))]).toEqual([path, true]);
    }
    expect(globSync("**/*{.test*,.tsbuildinfo,.map}", { cwd: installed })).toEqual([]);
    const bytes = globSync("**/*", { cwd: installed }).map((path) => statSync(join(installed, path)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_250_000);
    expect(readFileSync(join(installed, "package.json"), "utf8")).not.toContain("workspace:");
  },
);

test("a program on the tarballs compiles with their declarations checked, and runs on plain Node", async () => {
  runTool(project, root, "typescript/bin/tsc", "-p", ".");
  const child = spawn(process.execPath, ["program.js"], { cwd: project, env: { PATH: process.env["PATH"] } });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => (output += chunk));
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    output += chunk;
    const [, url] = /^listening (http\S+)\n/m.exec(output) ?? [];
    if (url === undefined || output.includes("socket")) continue;
    const reply = await fetch(new URL("/books/9", url));
    output += `socket ${reply.status} ${reply.headers.get("X-Greeting")}\n`;
    child.kill("SIGTERM");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(output).toContain('fetch 200 packed {"id":"7"}\n');
  expect(output).toContain("socket 404 on\n");
  expect([child.exitCode, child.signalCode, output]).toEqual([0, null, output]);
});
