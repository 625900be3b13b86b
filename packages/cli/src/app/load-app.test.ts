import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { plainEnvironment } from "../plain-environment.test-kit.ts";

/** An app as far as commands see it, without core. */
const APP = "{ routes: [], start() {}, stop() {}, fetch() {}, run() {}, snapshot() {} }";

/** Lists the routes of a module in a process of its own, where Node loads the module. */
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
  return { status, said: JSON.parse(stdout) as unknown };
};

test.each([
  `exports.app = ${APP};`,
  `module.exports = ${APP};`,
  `module.exports = () => (${APP});`,
  `Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = ${APP};`,
])("an app that CommonJS exports is found: %s", (source) => {
  expect(routesOf("app.cjs", source)).toEqual({ status: 0, said: { routes: [] } });
});

test.each([
  ["process.exit(3);", "CLI_ENDED_EARLY", "it ended the process with exit code 3"],
  ["await new Promise(() => {});", "CLI_ENDED_EARLY", "it waits for something that can never happen"],
  [
    'setImmediate(() => { throw new Error("late"); });\nawait new Promise(() => {});',
    "CLI_APP_FAILED",
    "an error that nothing caught ended the process: late",
  ],
])("a module that keeps the command from its end is a mistake with a code: %s", (source, code, message) => {
  expect(routesOf("app.mjs", source)).toEqual({
    status: 1,
    said: { error: { code, message: expect.stringContaining(message) } },
  });
});
