import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { databaseContract } from "./database-contract.test-kit.ts";
import { type Database, DatabaseUnavailableError, openDatabase, sql } from "./index.ts";
import { sameOutcomes } from "./outcomes.test-kit.ts";
import { databaseInFile } from "./testing.ts";

const inFile = (): Database & AsyncDisposable => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const db = openDatabase({ url: `sqlite://${join(folder.path, "test.db")}`, idleInTransactionSecs: 3 });
  return Object.assign(db, {
    async [Symbol.asyncDispose]() {
      await db.close();
      folder.remove();
    },
  });
};

const inMemory = (): Database => openDatabase({ url: "sqlite://:memory:", idleInTransactionSecs: 3 });

describe("in a file", () => {
  databaseContract(test, inFile);
  sameOutcomes(test, inFile);
});
describe("in memory", () => {
  databaseContract(test, inMemory);
  sameOutcomes(test, inMemory);
});

test("at most 100 streams are open; the next is refused until one has ended", async () => {
  await using db = inFile();
  const open = Array.from({ length: 100 }, () => db.stream(sql`VALUES (1), (2)`));
  for (const rows of open) expect((await rows.next()).done).toBe(false);
  const refused = db.stream(sql`VALUES (3)`).next();
  await expect(refused).rejects.toThrow(DatabaseUnavailableError);
  await expect(refused).rejects.toMatchObject({
    reason: "100 streams are open; end one first",
  });
  await open[7]?.return?.();
  expect((await db.stream(sql`VALUES (3)`).next()).value).toEqual({ column1: 3 });
  for (const rows of open) await rows.return?.();
});

test("a stream can be the first use of a new file", async () => {
  await using db = inFile();
  const seen: unknown[] = [];
  for await (const row of db.stream(sql`SELECT 1 AS one`)) seen.push(row);
  expect(seen).toEqual([{ one: 1 }]);
});

test.each([
  'SELECT id, big, bytes, none, 7 AS "__proto__" FROM things',
  "SELECT id, big, bytes, none FROM things",
  "SELECT * FROM things",
])("rows are plain objects with the columns as their own properties: %s", async (text) => {
  await using db = inFile();
  await db.execute("CREATE TABLE things (id INTEGER, big INTEGER, bytes BLOB, none TEXT)");
  const bytes = new Uint8Array([1, 2]);
  await db.execute`INSERT INTO things VALUES (1, ${2}, ${bytes}, NULL), (2, ${2n ** 60n}, ${bytes}, NULL)`;
  const own = text.includes("__proto__") ? [["__proto__", 7]] : [];
  const row = (id: number, big: unknown) => [
    ["id", id],
    ["big", big],
    ["bytes", bytes],
    ["none", null],
    ...own,
  ];
  const rows = await db.query(text);
  expect(rows.map(Object.entries)).toEqual([row(1, 2), row(2, 2n ** 60n)]);
  const first = await db.fetchOne(text);
  expect(Object.entries(first ?? {})).toEqual(row(1, 2));
  for (const each of [...rows, first]) expect(each).toHaveProperty("hasOwnProperty");
});

test("whole numbers and booleans are bound as integers, other numbers as REAL", async () => {
  await using db = inFile();
  const kind = (value: number | boolean) => db.fetchValue`SELECT typeof(${value})`;
  for (const value of [0, 5, -5, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, true, false])
    expect([value, await kind(value)]).toEqual([value, "integer"]);
  for (const value of [-0, 0.5, 2 ** 53, 1e300]) expect([value, await kind(value)]).toEqual([value, "real"]);
  expect(await db.fetchValue`SELECT ${-0}`).toBe(-0);
});

test("prepared reads and writes of a closed file fail with 503", async () => {
  await using db = inFile();
  const texts = ["CREATE TABLE IF NOT EXISTS things (n INTEGER)", "SELECT n FROM things"];
  for (const text of texts) await db.query(text);
  await db.close();
  const closed = { code: "DATABASE_CLOSED", status: 503, reason: "the database is closed" };
  for (const text of [...texts, "SELECT 1"]) await expect(db.query(text)).rejects.toMatchObject(closed);
  await expect(db.transaction(async () => {})).rejects.toMatchObject(closed);
});

test("a prepared statement sees schema changes of its table", async () => {
  await using db = inFile();
  await db.execute("CREATE TABLE things (a INTEGER, b INTEGER)");
  await db.execute("INSERT INTO things VALUES (1, 2)");
  expect(await db.fetchOne("SELECT * FROM things")).toEqual({ a: 1, b: 2 });
  expect(await db.fetchOne("SELECT b FROM things")).toEqual({ b: 2 });
  await db.execute("ALTER TABLE things RENAME COLUMN b TO c");
  await db.execute("ALTER TABLE things ADD COLUMN d INTEGER DEFAULT 4");
  expect(await db.fetchOne("SELECT * FROM things")).toEqual({ a: 1, c: 2, d: 4 });
  await expect(db.fetchOne("SELECT b FROM things")).rejects.toThrow("no such column: b");
});

test("a full database refuses writes with the reason, and accepts them again when there is space", async () => {
  const db = inMemory();
  await db.execute("CREATE TABLE things (bytes BLOB)");
  await db.query("PRAGMA max_page_count = 20"); // lasts, because an in-memory database has only one connection
  const write = (): Promise<unknown> =>
    db.transaction((tx) => tx.execute`INSERT INTO things VALUES (${new Uint8Array(50_000)})`);
  await write();
  const full = { status: 503, reason: "database or disk is full" };
  for (const act of [write, write, () => db.execute`INSERT INTO things VALUES (${new Uint8Array(90_000)})`])
    await expect(act()).rejects.toMatchObject(full);
  await db.query("PRAGMA max_page_count = 1000");
  await write();
  expect(await db.fetchValue("SELECT count(*) FROM things")).toBe(2);
  await db.close();
});

test("a call that waits for its own transaction fails with the reason and the remedy", async () => {
  await using file = databaseInFile();
  const db = openDatabase({ url: file.url, connectionTimeoutSecs: 0.05 });
  await db.execute("CREATE TABLE a (n INTEGER)");
  const write = db.transaction(async () => void (await db.execute("INSERT INTO a VALUES (1)")));
  await expect(write).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    reason:
      "the writing connection did not become free in 50 ms; one transaction held it all the time: calls inside a transaction must use its tx or pass { tx }",
  });
  const begin = db.transaction(() => db.transaction(async () => {}));
  await expect(begin).rejects.toMatchObject({ reason: expect.stringContaining("or pass { tx }") });
  await db.close();
});

test("the error of a call that waited for several transactions names no remedy", async () => {
  const db = openDatabase({ url: "sqlite://:memory:", connectionTimeoutSecs: 1 });
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const first = db.transaction(() => ends[0].promise);
  const second = db.transaction(() => ends[1].promise);
  const last = db.execute("SELECT 1").catch((error: unknown) => error);
  ends[0].resolve();
  await first;
  expect(await last).toMatchObject({ reason: "the writing connection did not become free in 1000 ms" });
  ends[1].resolve();
  await second;
  await db.close();
});

test("connection settings of one caller do not affect the next", async () => {
  await using db = inFile();
  await db.execute("CREATE TABLE parents (id INTEGER PRIMARY KEY)");
  await db.execute("CREATE TABLE children (parent INTEGER REFERENCES parents (id))");
  const orphan = (): Promise<unknown> => db.execute("INSERT INTO children VALUES (5)");
  for (const text of [
    "PRAGMA foreign_keys = OFF",
    "/* now */ pragma foreign_keys(0)",
    "PRAGMA query_only = 1",
    'PRAGMA"query_only"=1',
    "ATTACH ':memory:' AS other",
  ]) {
    await db.execute(text);
    await expect(orphan()).rejects.toMatchObject({ kind: "foreign-key" });
  }
  expect(await db.query("PRAGMA database_list")).toHaveLength(1);
  await db.transaction(async (tx) => {
    await tx.execute("CREATE TEMP TABLE mine (a INTEGER)");
    await tx.script("CREATE TABLE temp.second (a INTEGER); INSERT INTO mine VALUES (1)");
    expect(await tx.fetchValue("SELECT count(*) FROM mine")).toBe(1);
    await tx.execute("INSERT INTO parents VALUES (1)");
  });
  for (const schema of ['"temp"', "[TEMP]", "`temp`", "'temp'"]) {
    await db.execute(`CREATE TABLE ${schema}.quoted (a INTEGER)`);
    await db.execute(`CREATE VIEW${schema}.looks AS SELECT 1`);
  }
  for (const name of ["mine", "second", "quoted", "looks"])
    await expect(db.transaction((tx) => tx.query(`SELECT * FROM ${name}`))).rejects.toThrow("no such table");
  await db.transaction((tx) => tx.script("PRAGMA query_only = 1"));
  expect(await db.execute("INSERT INTO children VALUES (1)")).toEqual({ changes: 1 });
});

test("a stream of a string is refused, and the error names the valid argument", async () => {
  const db = inMemory();
  expect(() => db.stream("SELECT 1" as never)).toThrow(
    expect.objectContaining({
      code: "DATABASE_BAD_STATEMENT",
      message: "a stream needs a statement of `sql`: stream(sql`SELECT …`)",
    }),
  );
  await db.close();
});
