import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Database, DatabaseError, openDatabase, sql } from "../index.ts";
import { databaseInSchema } from "../testing.ts";

/** Runs a test with a database in a separate schema. */
const withDatabase = async (
  server: string,
  poolSize: number,
  run: (db: Database) => Promise<void>,
): Promise<void> => {
  await using schema = await databaseInSchema(server);
  const db = openDatabase({ url: schema.url, poolSize });
  try {
    await run(db);
  } finally {
    await db.close();
  }
};

/** Values that are sent to PostgreSQL in text format. */
const row = fc.record({
  text: fc.option(fc.string({ unit: "grapheme", maxLength: 300 }).filter((text) => !text.includes("\0"))),
  int: fc.option(fc.integer()),
  big: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  real: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
  flag: fc.option(fc.boolean()),
});

const onServer = (server: string): void => {
  test("a statement gives the same rows when it is run again, whatever its values", () =>
    withDatabase(server, 1, async (db) => {
      const run = ({ text, int, big, real, flag }: typeof row extends fc.Arbitrary<infer T> ? T : never) =>
        db.fetchAll`SELECT ${text}::text AS "a text", ${int}::int AS int, ${big}::bigint AS big,
          ${real}::float8 AS real, ${flag}::boolean AS flag, n FROM generate_series(1, 3) AS n`;
      await fc.assert(
        fc.asyncProperty(row, async (values) => {
          const big =
            values.big !== null && Number.isSafeInteger(Number(values.big)) ? Number(values.big) : values.big;
          const { text, int, real, flag } = values;
          const expected = [1, 2, 3].map((n) => ({ "a text": text, int, big, real, flag, n }));
          expect(await run(values)).toEqual(expected);
        }),
        { numRuns: 200 },
      );
    }));

  test("statements without rows return the number of changes, even when they are run again", () =>
    withDatabase(server, 1, async (db) => {
      await db.execute`CREATE TABLE things (id int PRIMARY KEY, name text)`;
      for (const id of [1, 2, 3])
        expect(await db.execute`INSERT INTO things VALUES (${id}, ${"x"})`).toEqual({ changes: 1 });
      for (const changes of [3, 3])
        expect(await db.execute`UPDATE things SET name = ${"y"}`).toEqual({ changes });
      for (const rows of [3, 0])
        expect(await db.fetchAll`DELETE FROM things RETURNING id`).toHaveLength(rows);
    }));

  test("a statement that fails when it is run again reports the usual error and leaves its connection usable", () =>
    withDatabase(server, 1, async (db) => {
      await db.execute`CREATE TABLE things (id int PRIMARY KEY)`;
      const add = (id: number) => db.execute`INSERT INTO things VALUES (${id})`;
      await add(1);
      await add(2);
      for (const _try of [1, 2]) await expect(add(2)).rejects.toMatchObject({ kind: "unique" });
      const divide = (by: number) => db.fetchValue`SELECT 6 / ${by}::int`;
      expect(await divide(3)).toBe(2);
      await expect(divide(0)).rejects.toThrow(DatabaseError);
      expect(await divide(2)).toBe(3);
      await add(3);
    }));

  test("columns that were added, renamed or retyped meanwhile are returned, on every connection", () =>
    withDatabase(server, 4, async (db) => {
      await db.execute`CREATE TABLE things (id int)`;
      await db.execute`INSERT INTO things VALUES (1)`;
      const all = () => Promise.all(Array.from({ length: 4 }, () => db.fetchAll`SELECT * FROM things`));
      for (const _time of [1, 2]) expect(await all()).toEqual(Array(4).fill([{ id: 1 }]));
      await db.execute`ALTER TABLE things ADD COLUMN name text DEFAULT 'new'`;
      for (const _time of [1, 2]) expect(await all()).toEqual(Array(4).fill([{ id: 1, name: "new" }]));
      await db.execute`ALTER TABLE things RENAME COLUMN name TO title`;
      expect(await all()).toEqual(Array(4).fill([{ id: 1, title: "new" }]));
      await db.execute`ALTER TABLE things ALTER COLUMN id TYPE text`;
      expect(await all()).toEqual(Array(4).fill([{ id: "1", title: "new" }]));
    }));

  test("columns added to a table meanwhile are also returned by statements with a signal", () =>
    withDatabase(server, 4, async (db) => {
      await db.execute`CREATE TABLE things (id int)`;
      const { signal } = new AbortController();
      const all = () =>
        Promise.all(Array.from({ length: 4 }, () => db.until(signal).fetchAll`SELECT * FROM things`));
      for (const _time of [1, 2]) expect(await all()).toEqual(Array(4).fill([]));
      await db.execute`ALTER TABLE things ADD COLUMN name text`;
      await db.execute`INSERT INTO things VALUES (1, 'new')`;
      expect(await all()).toEqual(Array(4).fill([{ id: 1, name: "new" }]));
    }));

  test("a transaction fails if columns have changed, and the next one gets the new columns", () =>
    withDatabase(server, 2, async (db) => {
      await db.execute`CREATE TABLE things (id int)`;
      const read = () => db.transaction((tx) => tx.fetchAll`SELECT * FROM things`);
      for (const _time of [1, 2]) expect(await read()).toEqual([]);
      await db.execute`ALTER TABLE things ADD COLUMN name text`;
      await db.execute`INSERT INTO things VALUES (1, 'new')`;
      await expect(read()).rejects.toMatchObject({ name: "DatabaseError", sqlCode: "0A000" });
      expect(await read()).toEqual([{ id: 1, name: "new" }]);
    }));

  test("columns that depend on another object, such as a cursor, are requested each time", () =>
    withDatabase(server, 1, async (db) => {
      const first = db.transaction(async (tx) => {
        await tx.execute`DECLARE c CURSOR FOR SELECT 1 AS a`;
        return await tx.fetchAll`FETCH 1 FROM c`;
      });
      expect(await first).toEqual([{ a: 1 }]);
      const second = db.transaction(async (tx) => {
        await tx.execute`DECLARE c CURSOR FOR SELECT 'x' AS b, 2 AS d`;
        return await tx.fetchAll`FETCH 1 FROM c`;
      });
      expect(await second).toEqual([{ b: "x", d: 2 }]);
    }));

  test("a statement may have 65,535 values, each time", () =>
    withDatabase(server, 1, async (db) => {
      const ids = Array.from({ length: 65_535 }, (_, at) => at);
      const count = () =>
        db.fetchValue`SELECT count(*) FROM generate_series(1, 70000) AS n WHERE n IN (${sql.list(ids)})`;
      for (const _time of [1, 2, 3]) expect(await count()).toBe(65_534);
      await expect(db.query`SELECT 1 WHERE 1 IN (${sql.list([...ids, 1])})`).rejects.toMatchObject({
        code: "DATABASE_BAD_PARAMETERS",
      });
    }));

  test("columns may have any name, and if two have the same name, the later one is returned", () =>
    withDatabase(server, 1, async (db) => {
      for (const _time of [1, 2]) {
        const [found] = await db.fetchAll`SELECT 1 AS "__proto__", 2 AS a, 3 AS a, 4 AS "ü x"`;
        expect(Object.entries(found ?? {})).toEqual([
          ["__proto__", 1],
          ["a", 3],
          ["ü x", 4],
        ]);
      }
    }));
};

withServer("postgres", onServer);
withServer("postgres-newest", onServer);
