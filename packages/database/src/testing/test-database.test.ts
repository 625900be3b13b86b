import { mkdtempDisposableSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { openDatabase } from "../index.ts";
import { databaseInFile, type TestDatabase } from "../testing.ts";

/** Creates a database with `path` as the folder of temporary files. */
const databaseIn = (path: string): TestDatabase => {
  const { TMPDIR: before } = process.env;
  process.env["TMPDIR"] = path;
  try {
    return databaseInFile();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
};

test("the folder of a database in a file may have a percent sign in its path", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "half-"));
  const path = join(folder.path, "50%20 of 100%");
  mkdirSync(path);
  await using database = databaseIn(path);
  const db = openDatabase({ url: database.url });
  const files = await db.query<{ file: string }>("PRAGMA database_list");
  expect(files.map(({ file }) => file.startsWith(path))).toEqual([true]);
  await db.close();
});
