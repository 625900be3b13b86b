import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { plainEnvironment } from "../plain-environment.test-kit.ts";

/** The members of an app that commands use, without core. */
const APP = "{ routes: [], start() {}, stop() {}, fetch() {}, run() {}, snapshot() {} }";

/** Lists the routes of a module in a separate process, in which Node itself loads the module. */
const routesOf = (name: string, source: string) => {
  const path = join(mkdtempSync(join(tmpdir(), "cli-")), name);
  writeFileSync(path, source);
  const main = join(import.meta.dirname, "../main.ts");
  const words = ["--conditions=@framework/source", main, "routes", path, "--json"];
  const { status, stdout } = spawnSync(process.execPath, words, {
    encoding: "utf8",
    timeout: 120_000,
    env: plainEnvironment,
  });
  return { status, output: JSON.parse(stdout) as unknown };
};

test.each([
  `exports.app = ${APP};`,
  `module.exports = ${APP};`,
  `module.exports = () => (${APP});`,
  `Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = ${APP};`,
])("an app that a CommonJS module exports is found: %s", (source) => {
  expect(routesOf("app.cjs", source)).toEqual({ status: 0, output: { routes: [] } });
});

test.each([
  ["process.exit(3);", "CLI_ENDED_EARLY", "it ended the process with exit code 3"],
  ["await new Promise(() => {});", "CLI_ENDED_EARLY", "it awaits a promise that never settles"],
  [
    'setImmediate(() => { throw new Error("late"); });\nawait new Promise(() => {});',
    "CLI_APP_FAILED",
    "an uncaught error ended the process: late",
  ],
])(
  "a module that prevents the command from finishing is an error with a code: %s",
  (source, code, message) => {
    expect(routesOf("app.mjs", source)).toEqual({
      status: 1,
      output: { error: { code, message: expect.stringContaining(message) } },
    });
  },
);
