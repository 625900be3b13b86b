import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../root.ts";

/** Runs jest, with this workspace's reporters, over one test of the given body. */
const runTest = (body: string): { status: number | null; stderr: string } => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "leftovers-"));
  const tool = (name: string): string => join(root, "tools/jest", name);
  const reporters = [
    [tool("leftovers-reporter.js"), { graceMs: 300 }],
    [tool("totals-reporter.js"), {}],
  ];
  mkdirSync(join(folder.path, "src"));
  symlinkSync(join(root, "node_modules"), join(folder.path, "node_modules"), "junction");
  writeFileSync(join(folder.path, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder.path, "jest.config.json"),
    JSON.stringify({ reporters, maxWorkers: 1, transform: {} }),
  );
  writeFileSync(join(folder.path, "src/one.test.js"), `test("one", () => { ${body} });\n`);
  const jest = join(root, "node_modules/jest/bin/jest.js");
  return spawnSync(process.execPath, ["--experimental-vm-modules", jest], {
    cwd: folder.path,
    encoding: "utf8",
    timeout: 60_000,
  });
};

test("a run that leaves a timer open ends and fails, although every test passed", () => {
  const { status, stderr } = runTest("setInterval(() => {}, 1_000);");
  expect(stderr).toContain("The tests left open: ");
  expect(stderr).toContain("Timeout");
  expect(status).toBe(1);
});

test("a run that cleans up after itself passes", () => {
  expect(runTest("expect(1).toBe(1);").status).toBe(0);
});
