import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../root.ts";

interface Run {
  readonly status: number | null;
  readonly stderr: string;
  /** Contents of the file that `verify.mjs` sums up. */
  readonly results: unknown;
}

/** Runs jest with the configuration of this workspace on one test file with the given body. */
export const runJest = (body: string): Run => runJestOnFiles({ "one.test.ts": body });

const GLOBALS = 'import { afterAll, afterEach, expect, jest, test } from "@jest/globals";\n';

/** Runs jest with the configuration of this workspace on several files, in the order that jest chooses. */
export const runJestOnFiles = (
  files: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Run => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "leftovers-"));
  const tool = (name: string): string => join(root, "tools/jest", name);
  const config = {
    testMatch: ["<rootDir>/src/*.test.ts"],
    extensionsToTreatAsEsm: [".ts"],
    testEnvironment: tool("environment.js"),
    runtime: tool("runtime.js"),
    injectGlobals: false,
    reporters: [
      [tool("leftovers-reporter.js"), { graceMs: 300 }],
      [tool("totals-reporter.js"), {}],
      [tool("temporary-files-reporter.js"), {}],
    ],
    maxWorkers: 1,
    transform: {},
  };
  mkdirSync(join(folder.path, "src"));
  symlinkSync(join(root, "node_modules"), join(folder.path, "node_modules"), "junction");
  writeFileSync(join(folder.path, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder.path, "jest.config.json"), JSON.stringify(config));
  for (const [name, body] of Object.entries(files))
    writeFileSync(join(folder.path, "src", name), GLOBALS + body);
  const jest = join(root, "node_modules/jest/bin/jest.js");
  const { status, stderr } = spawnSync(process.execPath, [jest, ...options], {
    cwd: folder.path,
    encoding: "utf8",
    timeout: 60_000,
  });
  return {
    status,
    stderr,
    results: JSON.parse(readFileSync(join(folder.path, "test-results.json"), "utf8")),
  };
};
