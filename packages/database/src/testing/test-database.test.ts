import { mkdtempDisposableSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { openDatabase } from "../index.ts";
import { databaseInFile } from "../testing.ts";

test("the folder of a database in a file may have a percent sign in its path", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "half-"));
  const path = join(folder.path, "50%20 of 100%");
  mkdirSync(path);
  const { TMPDIR: before } = process.env;
  process.env["TMPDIR"] = path;
  const made = databaseInFile();
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
  await using database = made;
  const db = openDatabase({ url: database.url });
  const files = await db.query<{ file: string }>("PRAGMA database_list");
  expect(files.map(({ file }) => file.startsWith(path))).toEqual([true]);
  await db.close();
});
