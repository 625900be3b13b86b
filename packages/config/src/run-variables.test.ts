import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { integer, readConfig, text } from "./index.ts";
import { problemsOf } from "./read-config.test-kit.ts";

/** A folder whose `.env` has this text, removed at the end of the test. */
const folderWith = (content: string) => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "config-"));
  writeFileSync(join(folder.path, ".env"), content);
  return folder;
};

const shape = { title: text("TITLE", { default: "" }) };

test("HOST, PORT, FRAMEWORK_ENV and FRAMEWORK_TRANSPORT in a .env file are reported: `run` reads them from the environment only", () => {
  using folder = folderWith(
    "TITLE=a\nPORT=8120\nHOST=::\nFRAMEWORK_ENV=production\nFRAMEWORK_TRANSPORT=node\n",
  );
  const problemIn = (name: string, line: number): string =>
    `CONFIG_NOT_FROM_FILE: ${name} (.env, line ${line}) has no effect: the app reads it from the environment only. Set it there, or list it in ignore`;
  expect(problemsOf(shape, { env: {}, folder: folder.path })).toEqual([
    problemIn("HOST", 3),
    problemIn("PORT", 2),
    problemIn("FRAMEWORK_ENV", 4),
    problemIn("FRAMEWORK_TRANSPORT", 5),
  ]);
});

test("a variable of `run` is accepted in a .env file if the environment overrides it, a setting reads it, or `ignore` names it", () => {
  using folder = folderWith("PORT=8120\n");
  const options = { folder: folder.path };
  expect(problemsOf(shape, { ...options, env: { PORT: "9000" } })).toEqual([]);
  expect(problemsOf(shape, { ...options, env: {}, ignore: ["PORT"] })).toEqual([]);
  expect(readConfig({ port: integer("PORT") }, { ...options, env: {} }).port).toBe(8120);
});
