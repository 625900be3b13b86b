import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { migrate, openDatabase } from "../index.ts";

const files = {
  "0001-create-books.up.sql":
    "CREATE TABLE books (id INTEGER PRIMARY KEY);\nCREATE TABLE genres (name TEXT);",
  "0001-create-books.down.sql": "DROP TABLE genres; DROP TABLE books;",
  "0002-add-title.up.sql": "ALTER TABLE books ADD COLUMN title TEXT",
  "0002-add-title.down.sql": "ALTER TABLE books DROP COLUMN title",
};

const setUp = (contents: Readonly<Record<string, string>> = files) => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "migrations-"));
  const write = (more: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(more)) writeFileSync(join(folder.path, name), text);
  };
  write(contents);
  const db = openDatabase({ url: `sqlite://${join(folder.path, "test.db")}` });
  const run = (options: { to?: number; dryRun?: boolean } = {}) =>
    migrate(db, { directory: folder.path, ...options });
  const columns = async (): Promise<string[]> =>
    Array.from(
      await db.query<{ name: string }>("SELECT name FROM pragma_table_info('books')"),
      ({ name }) => name,
    );
  const close = async (): Promise<void> => {
    await db.close();
    folder.remove();
  };
  return { folder, db, write, run, columns, [Symbol.asyncDispose]: close };
};

const step = (number: number, name: string, direction = "up") => ({ number, name, direction });

test("all steps run in order, once", async () => {
  await using s = setUp();
  expect(await s.run()).toEqual([step(1, "create-books"), step(2, "add-title")]);
  expect(await s.columns()).toEqual(["id", "title"]);
  expect(await s.run()).toEqual([]);
});

test("a dry run says what would be done, and does nothing", async () => {
  await using s = setUp();
  expect(await s.run({ dryRun: true })).toHaveLength(2);
  expect(await s.columns()).toEqual([]);
});

test("a number to end at goes up to it and back to it; 0 undoes all", async () => {
  await using s = setUp();
  expect(await s.run({ to: 1 })).toEqual([step(1, "create-books")]);
  await s.run();
  expect(await s.run({ to: 1 })).toEqual([step(2, "add-title", "down")]);
  expect(await s.columns()).toEqual(["id"]);
  expect(await s.run({ to: 0 })).toEqual([step(1, "create-books", "down")]);
  expect(await s.columns()).toEqual([]);
  await expect(s.run({ to: 9 })).rejects.toMatchObject({ code: "DATABASE_MIGRATION_MISSING" });
});

test("a step that fails leaves everything as it was before the first", async () => {
  await using s = setUp({ ...files, "0003-broken.up.sql": "CREATE TABLE more (id INTEGER); SELEKT" });
  await expect(s.run()).rejects.toMatchObject({ kind: "syntax" });
  expect(await s.columns()).toEqual([]);
});

test("a file that was changed after it ran, is gone, or came too late is refused", async () => {
  await using s = setUp();
  await s.run();
  s.write({ "0001-create-books.up.sql": "CREATE TABLE books (id TEXT)" });
  await expect(s.run()).rejects.toMatchObject({ code: "DATABASE_MIGRATION_CHANGED" });
  s.write(files);
  await using late = setUp({ "0005-five.up.sql": "CREATE TABLE five (n INTEGER)" });
  await late.run();
  late.write({ "0004-four.up.sql": "CREATE TABLE four (n INTEGER)" });
  await expect(late.run()).rejects.toMatchObject({ code: "DATABASE_MIGRATION_MISSING" });
});

test("a missing down migration is reported", async () => {
  await using s = setUp({ "0001-one.up.sql": "CREATE TABLE one (n INTEGER)" });
  await s.run();
  await expect(s.run({ to: 0 })).rejects.toMatchObject({ code: "DATABASE_MIGRATION_NO_WAY_BACK" });
});

test("everything that is wrong in the folder is said at once", async () => {
  await using s = setUp({ "first.sql": "", "0001-a.up.sql": "", "0001-b.up.sql": "", "0002-c.down.sql": "" });
  await expect(s.run()).rejects.toThrow(
    /number 0001 belongs to a and to b.*first\.sql is not named.*migration 2 \(c\) has no \.up\.sql/,
  );
});

test("a file for one kind of database wins over the plain one there, and is nothing to the other", async () => {
  await using s = setUp({
    "0001-create-books.up.sql": "SELECT 1",
    "0001-create-books.sqlite.up.sql": "CREATE TABLE books (only_sqlite INTEGER)",
    "0001-create-books.postgres.up.sql": "CREATE TABLE books (only_postgres INTEGER)",
  });
  await s.run();
  expect(await s.columns()).toEqual(["only_sqlite"]);
});

test("of many that migrate at once one works and none fails", async () => {
  await using s = setUp();
  const others = [1, 2, 3].map(() => openDatabase({ url: `sqlite://${join(s.folder.path, "test.db")}` }));
  const done = await Promise.all([s.run(), ...others.map((db) => migrate(db, { directory: s.folder.path }))]);
  expect(done.flat()).toHaveLength(2);
  await Promise.all(others.map((db) => db.close()));
});
