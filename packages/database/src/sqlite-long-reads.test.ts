import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { type Database, DatabaseError, DatabaseUnavailableError, openDatabase } from "./index.ts";

type Config = Exclude<Parameters<typeof openDatabase>[0], undefined>;

const openTestDatabase = (config: Config = {}): Database & AsyncDisposable => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const db = openDatabase({
    url: `sqlite://${join(folder.path, "test.db")}`,
    longReadMs: 1,
    connectionTimeoutSecs: 60,
    ...config,
  });
  return Object.assign(db, {
    async [Symbol.asyncDispose]() {
      await db.close();
      folder.remove();
    },
  });
};

/** The numbers from 1 to $1, at most ten million. Not recursive, because a recursive read never runs in this process. */
const numbers = `WITH d(x) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)), c(n) AS (
  SELECT 1 + t.x + 10 * u.x + 100 * v.x + 1000 * w.x + 10000 * x.x + 100000 * y.x + 1000000 * z.x
  FROM d AS z CROSS JOIN d AS y CROSS JOIN d AS x CROSS JOIN d AS w CROSS JOIN d AS v CROSS JOIN d AS u CROSS JOIN d AS t LIMIT $1) `;

/** Counts up to a number: about 0.2 µs each. */
const count = (db: Pick<Database, "fetchValue">, to: number) =>
  db.fetchValue<number>(`${numbers}SELECT count(*) FROM c`, [to]);

const endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c";

/** Runs the statement once, so that its text then runs in the reading process. */
const markAsLong = async (db: Database): Promise<void> => void (await count(db, 100_000));

/** Counts turns of the event loop until `act` has settled. */
const turnsDuring = async (act: () => Promise<unknown>): Promise<number> => {
  let turns = 0;
  let running = true;
  const turn = (): void => {
    turns++;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await act();
  running = false;
  return turns;
};

/** Returns the result of a promise; fails if microtasks alone settle it, because then the reading process was not used. */
const fromReader = async <T>(promise: Promise<T>): Promise<T> => {
  let settled = false;
  void promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let hop = 0; hop < 20; hop++) await Promise.resolve();
  expect(settled).toBe(false);
  return await promise;
};

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

test("after one long read the same text runs in the reading process, which does not block the event loop", async () => {
  await using db = openTestDatabase({ longReadMs: 10 });
  expect(await turnsDuring(() => count(db, 400_000))).toBeLessThan(5);
  const long = count(db, 400_000);
  expect(await turnsDuring(() => long)).toBeGreaterThan(100);
  const ends: string[] = [];
  const note = (name: string) => (): void => void ends.push(name);
  await Promise.all([count(db, 400_000).then(note("long")), db.query("SELECT 1").then(note("short"))]);
  expect(ends).toEqual(["short", "long"]);
});

test("a text whose first read was short runs in the reading process after its first long read", async () => {
  await using db = openTestDatabase({ longReadMs: 10 });
  await count(db, 10);
  expect(await turnsDuring(() => count(db, 400_000))).toBeLessThan(5);
  expect(await turnsDuring(() => count(db, 400_000))).toBeGreaterThan(100);
});

test("with longReadMs 0, and in memory, the reading process is not used", async () => {
  await using inFile = openTestDatabase({ longReadMs: 0 });
  await using inMemory = openTestDatabase({ url: "sqlite://:memory:" });
  for (const db of [inFile, inMemory]) {
    await markAsLong(db);
    expect(await turnsDuring(() => count(db, 500_000))).toBeLessThan(5);
  }
});

test("values and rows are the same with and without the reading process", async () => {
  await using db = openTestDatabase();
  await using plain = openTestDatabase({ longReadMs: 0 });
  const backing = new Uint8Array(1_000_000).fill(7);
  const values = [null, "x\u{1F600}", 0.1, 2n ** 53n + 1n, backing.subarray(5, 8), new Date(0), true];
  const columns = values.map((_, at) => `$${at + 2} AS "c${at}"`).join(", ");
  const text = `${numbers}SELECT max(n) AS n, ${columns}, x'00ff' AS bytes FROM c`;
  const star = `${numbers}SELECT *, ${columns} FROM c`;
  for (const statement of [text, star]) {
    const direct = await plain.query(statement, [3, ...values]);
    await db.query(statement, [20_000, ...values]);
    expect(await fromReader(db.query(statement, [3, ...values]))).toEqual(direct);
    expect(await fromReader(db.fetchOne(statement, [3, ...values]))).toEqual(direct[0]);
  }
});

test("rows of several messages arrive in order", async () => {
  await using db = openTestDatabase();
  const text = `${numbers}SELECT n FROM c`;
  await db.query(text, [20_000]);
  const rows = await fromReader(db.query<{ n: number }>(text, [1750]));
  expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 1750 }, (_, at) => at + 1));
});

test("errors are the same with and without the reading process", async () => {
  await using db = openTestDatabase();
  await using plain = openTestDatabase({ longReadMs: 0 });
  const text = `${numbers}SELECT max(n), abs($2) FROM c`;
  const min = -(2n ** 63n);
  await db.query(text, [100_000, 1]);
  const inReader = (await failure(fromReader(db.query(text, [3, min])))) as DatabaseError;
  const direct = (await failure(plain.query(text, [3, min]))) as DatabaseError;
  expect(inReader).toBeInstanceOf(DatabaseError);
  const facts = ({ code, kind, sqlCode, constraint, message }: DatabaseError) => [
    code,
    kind,
    sqlCode,
    constraint,
    message,
  ];
  expect(facts(inReader)).toEqual(facts(direct));
  expect(await failure(db.query(text, [3, [1]]))).toMatchObject({ code: "DATABASE_BAD_VALUE" });
  expect(await count(db, 3)).toBe(3);
});

test("a read in the reading process sees earlier writes", async () => {
  await using db = openTestDatabase();
  await db.execute("CREATE TABLE things (id INTEGER)");
  const text = `${numbers}SELECT (SELECT count(*) FROM things) + 0 * max(n) FROM c`;
  await db.query(text, [100_000]);
  for (let id = 1; id <= 5; id++) {
    await db.execute`INSERT INTO things VALUES (${id})`;
    expect(await fromReader(db.fetchValue<number>(text, [1]))).toBe(id);
  }
});

test("a transaction reads its own changes, without the reading process", async () => {
  await using db = openTestDatabase();
  await db.execute("CREATE TABLE things (id INTEGER)");
  const text = `${numbers}SELECT (SELECT count(*) FROM things) + 0 * max(n) FROM c`;
  await db.query(text, [100_000]);
  await db.transaction(async (tx) => {
    await tx.execute("INSERT INTO things VALUES (1)");
    expect(await tx.fetchValue(text, [1])).toBe(1);
    expect(await db.fetchValue(text, [1])).toBe(0);
  });
});

test("an aborted signal rejects waiting and running reads at once, and other reads continue", async () => {
  await using db = openTestDatabase();
  await markAsLong(db);
  const stop = new AbortController();
  const reason = new Error("the client has gone");
  const running = failure(count(db.until(stop.signal), 1_000_000));
  const waiting = failure(count(db.until(stop.signal), 3));
  const other = count(db, 5);
  await new Promise(setImmediate);
  stop.abort(reason);
  const turns = await turnsDuring(async () =>
    expect([await running, await waiting]).toEqual([reason, reason]),
  );
  expect(turns).toBeLessThan(5);
  expect(await other).toBe(5);
});

test("an endless read blocks nothing, even the first time; statementTimeoutMs rejects it, and an aborted signal at once; the next read does not wait for the abandoned one", async () => {
  await using db = openTestDatabase({ longReadMs: 20, statementTimeoutMs: 1000 }); // long enough to read a row on a busy machine
  const next = (): Promise<unknown> => db.fetchValue("WITH RECURSIVE c(n) AS (VALUES (1)) SELECT n FROM c"); // runs in the reading process, because it is recursive
  const read = failure(db.query(endless));
  expect(await db.fetchValue("SELECT 7")).toBe(7);
  const error = (await read) as DatabaseError;
  expect(error).toBeInstanceOf(DatabaseError);
  expect([error.kind, error.message]).toEqual(["cancelled", "the statement was abandoned after 1000 ms"]);
  expect(await next()).toBe(1);

  const stop = new AbortController();
  const aborted = failure(db.until(stop.signal).query(endless));
  expect(await db.fetchValue("SELECT 7")).toBe(7);
  stop.abort(new Error("the client has gone"));
  expect(await aborted).toBe(stop.signal.reason);
  expect(await next()).toBe(1);
});

test("closing kills an endless read after connectionTimeoutSecs", async () => {
  const db = openTestDatabase({ connectionTimeoutSecs: 0.2 });
  const read = failure(
    db.query("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT count(*) FROM c"),
  );
  await db.close();
  expect(await read).toMatchObject({ status: 503 });
  await db[Symbol.asyncDispose]();
});

test("at most 1000 reads wait for the reading process", async () => {
  await using db = openTestDatabase();
  await markAsLong(db);
  const running = count(db, 500_000);
  const waiting = Array.from({ length: 1000 }, () => count(db, 1));
  const refused = await failure(count(db, 1));
  expect(refused).toBeInstanceOf(DatabaseUnavailableError);
  expect(refused).toMatchObject({ reason: "1000 callers are already waiting for the reading process" });
  await running;
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([1]));
});

test("close waits for a running read in the reading process, and later reads are refused", async () => {
  await using db = openTestDatabase();
  await markAsLong(db);
  const running = count(db, 500_000);
  await new Promise(setImmediate);
  await db.close();
  expect(await running).toBe(500_000);
  expect(await failure(count(db, 1))).toMatchObject({ code: "DATABASE_CLOSED" });
});
