import { mkdtempDisposableSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { migrate, type MigrateOptions, openDatabase } from "../index.ts";

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

test("a dry run returns the steps without running them", async () => {
  await using s = setUp();
  expect(await s.run({ dryRun: true })).toHaveLength(2);
  expect(await s.columns()).toEqual([]);
});

test("onStep is called before each step with the progress; a dry run does not call it", async () => {
  await using s = setUp();
  const seen: object[] = [];
  const onStep: NonNullable<MigrateOptions["onStep"]> = (each, progress) => void seen.push([each, progress]);
  await migrate(s.db, { directory: s.folder.path, dryRun: true, onStep });
  expect(seen).toEqual([]);
  await migrate(s.db, { directory: s.folder.path, onStep });
  expect(seen).toEqual([
    [step(1, "create-books"), { done: 0, total: 2 }],
    [step(2, "add-title"), { done: 1, total: 2 }],
  ]);
});

test("a target number migrates up or down to it; 0 reverts all", async () => {
  await using s = setUp();
  expect(await s.run({ to: 1 })).toEqual([step(1, "create-books")]);
  await s.run();
  expect(await s.run({ to: 1 })).toEqual([step(2, "add-title", "down")]);
  expect(await s.columns()).toEqual(["id"]);
  expect(await s.run({ to: 0 })).toEqual([step(1, "create-books", "down")]);
  expect(await s.columns()).toEqual([]);
  await expect(s.run({ to: 9 })).rejects.toMatchObject({ code: "DATABASE_MIGRATION_MISSING" });
});

test("a failed step rolls back all steps", async () => {
  await using s = setUp({ ...files, "0003-broken.up.sql": "CREATE TABLE more (id INTEGER); SELEKT" });
  await expect(s.run()).rejects.toMatchObject({
    code: "DATABASE_MIGRATION_FAILED",
    cause: { kind: "syntax" },
  });
  expect(await s.columns()).toEqual([]);
});

test("a migration that was changed or removed after it ran, or has too low a number, is refused", async () => {
  await using s = setUp();
  await s.run();
  s.write({ "0001-create-books.up.sql": "CREATE TABLE books (id TEXT)" });
  await expect(s.run()).rejects.toMatchObject({ code: "DATABASE_MIGRATION_CHANGED" });
  s.write(files);
  for (const direction of ["up", "down"]) rmSync(join(s.folder.path, `0001-create-books.${direction}.sql`));
  await expect(s.run()).rejects.toMatchObject({ code: "DATABASE_MIGRATION_MISSING" });
  await using ahead = setUp({ "0005-five.up.sql": "CREATE TABLE five (n INTEGER)" });
  await ahead.run();
  ahead.write({ "0004-four.up.sql": "CREATE TABLE four (n INTEGER)" });
  await expect(ahead.run()).rejects.toMatchObject({ code: "DATABASE_MIGRATION_MISSING" });
});

test("a missing down migration is reported", async () => {
  await using s = setUp({ "0001-one.up.sql": "CREATE TABLE one (n INTEGER)" });
  await s.run();
  await expect(s.run({ to: 0 })).rejects.toMatchObject({ code: "DATABASE_MIGRATION_NO_WAY_BACK" });
});

test("the number 0, and one number written in two ways, are refused", async () => {
  await using s = setUp({
    "0000-init.up.sql": "SELECT 1",
    "0001-a.up.sql": "SELECT 1",
    "1-a.up.sql": "SELECT 2",
  });
  await expect(s.run()).rejects.toThrow(
    /0000-init\.up\.sql has the number 0; the first is 1; 1-a\.up\.sql has the number of 0001-a/,
  );
});

test("all problems of the folder are reported together", async () => {
  await using s = setUp({ "first.sql": "", "0001-a.up.sql": "", "0001-b.up.sql": "", "0002-c.down.sql": "" });
  await expect(s.run()).rejects.toThrow(
    /number 0001 belongs to a and to b.*first\.sql is not named.*migration 2 \(c\) has no \.up\.sql/,
  );
});

test("a file for one database takes precedence on that database and is ignored on the other", async () => {
  await using s = setUp({
    "0001-create-books.up.sql": "SELECT 1",
    "0001-create-books.sqlite.up.sql": "CREATE TABLE books (only_sqlite INTEGER)",
    "0001-create-books.postgres.up.sql": "CREATE TABLE books (only_postgres INTEGER)",
  });
  await s.run();
  expect(await s.columns()).toEqual(["only_sqlite"]);
});

test("of concurrent migrations, one runs the steps and none fails", async () => {
  await using s = setUp();
  const others = [1, 2, 3].map(() => openDatabase({ url: `sqlite://${join(s.folder.path, "test.db")}` }));
  const done = await Promise.all([s.run(), ...others.map((db) => migrate(db, { directory: s.folder.path }))]);
  expect(done.flat()).toHaveLength(2);
  await Promise.all(others.map((db) => db.close()));
});

test("a failed statement is reported with its file, its line and the line itself", async () => {
  const statement = ["CREATE TABLE more (", "  id INTEGER,", "  name TEXTT NOT NOLL", ");"].join("\n");
  await using s = setUp({
    ...files,
    "0003-more.up.sql": `-- More.\nCREATE TABLE a (n INTEGER);\n\n${statement}\n`,
  });
  const file = join(s.folder.path, "0003-more.up.sql");
  await expect(s.run()).rejects.toThrow(
    `${file}:6: near "NOLL": syntax error; nothing was changed\n  6 |   name TEXTT NOT NOLL`,
  );
  s.write({ "0003-more.up.sql": "SELECT 1;\nINSERT INTO\n  nowhere VALUES (1)" });
  await expect(s.run()).rejects.toThrow(/0003-more\.up\.sql:3: no such table: nowhere/);
  s.write({ "0003-more.up.sql": `SELECT 1;\n INSERT INTO ${"x".repeat(500)} VALUES (1)` });
  await expect(s.run()).rejects.toThrow(/:2: [^]*\n {2}2 \| {2}INSERT INTO x{107}…$/);
  s.write({
    "0003-more.up.sql": "CREATE TABLE a (n INTEGER);",
    "0003-more.down.sql": "SELECT 1;\nDROP TABLE b",
  });
  await s.run();
  await expect(s.run({ to: 0 })).rejects.toThrow(/0003-more\.down\.sql:2: no such table: b/);
});

test("a folder that does not exist is reported with its path", async () => {
  await using s = setUp();
  const directory = join(s.folder.path, "nowhere");
  await expect(migrate(s.db, { directory })).rejects.toThrow(
    `the folder of migrations ${directory} does not exist; create it, or correct the path`,
  );
  const file = join(s.folder.path, "0001-create-books.up.sql");
  await expect(migrate(s.db, { directory: file })).rejects.toThrow(`${file} is not a folder`);
});

test("a file whose name has capitals is reported instead of ignored", async () => {
  await using s = setUp({ ...files, "0003-MORE.UP.SQL": "SELECT 1" });
  await expect(s.run()).rejects.toThrow("0003-MORE.UP.SQL is not named like 0001-create-books.up.sql");
});

test("a file that ends the transaction, or has parameters, is refused before the first step", async () => {
  await using s = setUp({
    ...files,
    "0002-add-title.up.sql": "SELECT 'COMMIT';\nCOMMIT;\nBEGIN IMMEDIATE;",
    "0003-three.up.sql": "-- $1\nINSERT INTO books (id) VALUES ($1)",
    "0003-three.down.sql": "END",
  });
  const refused = s.run();
  await expect(refused).rejects.toMatchObject({ code: "DATABASE_BAD_MIGRATIONS" });
  await expect(refused).rejects.toThrow(
    /0002-add-title\.up\.sql:2: .*\n {2}2 \| COMMIT;[^]*up\.sql:3: [^]*three\.up\.sql:2: .*1 parameter[^]*three\.down\.sql:1: /,
  );
  expect(await s.columns()).toEqual([]);
});

test("a file with an unclosed comment is rejected before the first step", async () => {
  await using s = setUp({
    ...files,
    "0003-more.up.sql": "CREATE TABLE a (n INTEGER);\n/* create b\nCREATE TABLE b (n INTEGER);",
  });
  const refused = s.run();
  await expect(refused).rejects.toMatchObject({ code: "DATABASE_BAD_MIGRATIONS" });
  await expect(refused).rejects.toThrow(
    /0003-more\.up\.sql:2: a comment that begins with \/\* is not closed\n {2}2 \| \/\* create b$/,
  );
  expect(await s.columns()).toEqual([]);
});

test("triggers, whose bodies have semicolons, run whole", async () => {
  const trigger =
    "CREATE TRIGGER t AFTER INSERT ON books BEGIN INSERT INTO genres VALUES ('a;b'); INSERT INTO genres VALUES ('c'); END;";
  await using s = setUp({
    ...files,
    "0003-trigger.up.sql": `${trigger}\nINSERT INTO books (id, title) VALUES (1, 't');`,
  });
  await s.run();
  expect(await s.db.fetchValue("SELECT count(*) FROM genres")).toBe(2);
});

test("different line ends and a byte order mark do not count as a change of a file", async () => {
  await using s = setUp();
  await s.run();
  const windows = Object.entries(files).map(([name, text]) => [
    name,
    `\uFEFF${text.replaceAll("\n", "\r\n")}`,
  ]);
  s.write(Object.fromEntries(windows));
  expect(await s.run()).toEqual([]);
  await using fresh = setUp(Object.fromEntries(windows));
  await fresh.run();
  expect(await fresh.columns()).toEqual(["id", "title"]);
});

test("a migration waits for another transaction, until its own limit or its signal", async () => {
  await using s = setUp();
  const url = `sqlite://${join(s.folder.path, "test.db")}`;
  const waiting = openDatabase({ url, connectionTimeoutSecs: 0.05 });
  const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const other = s.db.transaction(async (tx) => {
    await tx.execute("CREATE TABLE half (n INTEGER)");
    held.resolve();
    await end.promise;
  });
  await held.promise;
  await expect(waiting.execute("CREATE TABLE refused (n INTEGER)")).rejects.toMatchObject({ status: 503 });
  const limited = migrate(waiting, { directory: s.folder.path, timeoutSecs: 0.2 });
  // Its last wait for the lock may also end at the limit.
  const reason = expect.stringMatching(
    /^(the transaction took longer than 0\.2 s|another process holds the lock)$/,
  );
  await expect(limited).rejects.toMatchObject({ reason });
  const stop = new AbortController();
  const stopped = migrate(waiting, { directory: s.folder.path, signal: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  let done = false;
  const patient = migrate(waiting, { directory: s.folder.path }).finally(() => (done = true));
  const from = performance.now();
  await waitFor(() => performance.now() - from > 300);
  expect(done).toBe(false);
  end.resolve();
  await other;
  expect(await patient).toHaveLength(2);
  await waiting.close();
});
