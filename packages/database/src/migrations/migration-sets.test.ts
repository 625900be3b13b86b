import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { migrate, openDatabase, type SetMigration } from "../index.ts";
import { migrationSets } from "./migration-sets.test-kit.ts";

const inMemory = () => openDatabase({ url: "sqlite://:memory:" });

migrationSets(test, inMemory);

test("all mistakes of a set are reported together, before any step", async () => {
  await using db = Object.assign(inMemory(), { [Symbol.asyncDispose]: () => db.close() });
  const migrations: SetMigration[] = [
    { number: 2, name: "create-a", up: "CREATE TABLE a (n INTEGER)", readableFrom: 3 },
    { number: 2, name: "Second", up: "SELECT 1;\nCOMMIT" },
    { number: 3.5, name: "third", up: "SELECT $1" },
    { number: 4, name: "fourth" } as unknown as SetMigration,
  ];
  const refused = migrate(db, { set: "Two words", migrations });
  await expect(refused).rejects.toMatchObject({ code: "DATABASE_BAD_MIGRATIONS" });
  await expect(refused).rejects.toThrow(
    /"Two words": the name must have [^]*not 2 after 2[^]*not 3\.5[^]*readableFrom [^]*not 3[^]*not Second[^]*0002-Second:2: [^]*1 parameter[^]*4: `up`/,
  );
  await expect(db.query("SELECT * FROM a")).rejects.toThrow("no such table");
});

test("the name `app` is reserved for the files of the program, which do not conflict with sets of packages", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "migrations-"));
  writeFileSync(join(folder.path, "0001-books.up.sql"), "CREATE TABLE books (id INTEGER)");
  writeFileSync(join(folder.path, "0001-books.down.sql"), "DROP TABLE books");
  const db = inMemory();
  const set: SetMigration = { number: 1, name: "create-tasks", up: "CREATE TABLE tasks (id INTEGER)" };
  await expect(migrate(db, { set: "app", migrations: [set] })).rejects.toThrow(
    "reserved for the migration files",
  );
  await migrate(db, { set: "tasks", migrations: [set] });
  const { path: directory } = folder;
  expect(await migrate(db, { directory })).toEqual([{ number: 1, name: "books", direction: "up" }]);
  expect(await migrate(db, { directory, to: 0 })).toHaveLength(1);
  expect(await migrate(db, { set: "tasks", migrations: [set] })).toEqual([]);
  expect(await db.query("SELECT set_name FROM framework_migrations")).toEqual([{ set_name: "tasks" }]);
  await db.close();
});
