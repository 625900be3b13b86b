import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Database, DatabaseError, DatabaseUnavailableError, openDatabase } from "./index.ts";

type Config = Exclude<Parameters<typeof openDatabase>[0], undefined>;

const opened = (config: Config = {}): Database & AsyncDisposable => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const db = openDatabase({ url: `sqlite://${join(folder.path, "test.db")}`, threadAfterMs: 1, ...config });
  return Object.assign(db, {
    async [Symbol.asyncDispose]() {
      await db.close();
      folder.remove();
    },
  });
};

const counting = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < $1) ";

/** Counts up to a number: about 0.2 µs each. */
const count = (db: Pick<Database, "fetchValue">, to: number) =>
  db.fetchValue<number>(`${counting}SELECT count(*) FROM c`, [to]);

/** Has run once, long, so that the same text runs on the thread from now on. */
const known = async (db: Database): Promise<void> => void (await count(db, 100_000));

/** Turns of the event loop while something happens. */
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

/** What a promise gives that no microtask settles, as what runs on a thread. */
const later = async <T>(promise: Promise<T>): Promise<T> => {
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

test("a read that held the process once holds it no more: the event loop turns while it runs", async () => {
  await using db = opened({ threadAfterMs: 20 });
  expect(await turnsDuring(() => count(db, 1_000_000))).toBeLessThan(5);
  const long = count(db, 1_000_000);
  expect(await turnsDuring(() => long)).toBeGreaterThan(100);
  const ends: string[] = [];
  const note = (what: string) => (): void => void ends.push(what);
  await Promise.all([count(db, 1_000_000).then(note("long")), db.query("SELECT 1").then(note("short"))]);
  expect(ends).toEqual(["short", "long"]);
});

test("with threadAfterMs 0, and in memory, there is no thread", async () => {
  await using inFile = opened({ threadAfterMs: 0 });
  await using inMemory = opened({ url: "sqlite://:memory:" });
  for (const db of [inFile, inMemory]) {
    await known(db);
    expect(await turnsDuring(() => count(db, 500_000))).toBeLessThan(5);
  }
});

test("values and rows come back from the thread as they come back without it", async () => {
  await using db = opened();
  await using plain = opened({ threadAfterMs: 0 });
  const backing = new Uint8Array(1_000_000).fill(7);
  const values = [null, "x\u{1F600}", 0.1, 2n ** 53n + 1n, backing.subarray(5, 8), new Date(0), true];
  const columns = values.map((_, at) => `$${at + 2} AS "c${at}"`).join(", ");
  const text = `${counting}SELECT max(n) AS n, ${columns}, x'00ff' AS bytes FROM c`;
  const star = `${counting}SELECT *, ${columns} FROM c`;
  for (const statement of [text, star]) {
    const direct = await plain.query(statement, [3, ...values]);
    await db.query(statement, [100_000, ...values]);
    expect(await later(db.query(statement, [3, ...values]))).toEqual(direct);
    expect(await later(db.fetchOne(statement, [3, ...values]))).toEqual(direct[0]);
  }
});

test("more rows than are handed over at once all arrive, in order, with turns for others between them", async () => {
  await using db = opened();
  const text = `${counting}SELECT n FROM c`;
  await db.query(text, [100_000]);
  const rows = await later(db.query<{ n: number }>(text, [1750]));
  expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 1750 }, (_, at) => at + 1));
});

test("errors come back from the thread as they come back without it", async () => {
  await using db = opened();
  await using plain = opened({ threadAfterMs: 0 });
  const text = `${counting}SELECT max(n), abs($2) FROM c`;
  const least = -(2n ** 63n);
  await db.query(text, [100_000, 1]);
  const away = (await failure(later(db.query(text, [3, least])))) as DatabaseError;
  const direct = (await failure(plain.query(text, [3, least]))) as DatabaseError;
  expect(away).toBeInstanceOf(DatabaseError);
  const facts = ({ code, kind, sqlCode, constraint, message }: DatabaseError) => [
    code,
    kind,
    sqlCode,
    constraint,
    message,
  ];
  expect(facts(away)).toEqual(facts(direct));
  expect(await failure(db.query(text, [3, [1]]))).toMatchObject({ code: "DATABASE_BAD_VALUE" });
  expect(await count(db, 3)).toBe(3);
});

test("a read on the thread sees what was written before it", async () => {
  await using db = opened();
  await db.execute("CREATE TABLE things (id INTEGER)");
  const text = `${counting}SELECT (SELECT count(*) FROM things) + 0 * max(n) FROM c`;
  await db.query(text, [100_000]);
  for (let id = 1; id <= 5; id++) {
    await db.execute`INSERT INTO things VALUES (${id})`;
    expect(await later(db.fetchValue<number>(text, [1]))).toBe(id);
  }
});

test("a transaction reads what it wrote itself, without the thread", async () => {
  await using db = opened();
  await db.execute("CREATE TABLE things (id INTEGER)");
  const text = `${counting}SELECT (SELECT count(*) FROM things) + 0 * max(n) FROM c`;
  await db.query(text, [100_000]);
  await db.transaction(async (tx) => {
    await tx.execute("INSERT INTO things VALUES (1)");
    expect(await tx.fetchValue(text, [1])).toBe(1);
    expect(await db.fetchValue(text, [1])).toBe(0);
  });
});

test("a signal rejects at once, whether the read waits for the thread or runs on it, and others go on", async () => {
  await using db = opened();
  await known(db);
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

test("statementTimeoutMs ends the wait, and the next read does not wait for the statement that was given up", async () => {
  await using db = opened({ statementTimeoutMs: 200 });
  await known(db);
  const given = (await failure(count(db, 4_000_000))) as DatabaseError;
  expect(given).toBeInstanceOf(DatabaseError);
  expect([given.kind, given.message]).toEqual(["canceled", "gave up the statement after 200 ms"]);
  expect(await count(db, 3)).toBe(3);
});

test("two threads may be left behind; then reads are refused in time, until a statement has come to its end", async () => {
  await using db = opened({ statementTimeoutMs: 100, connectionTimeoutSecs: 0.1 });
  await known(db);
  const kinds: unknown[] = [];
  for (let n = 0; n < 3; n++) kinds.push(((await failure(count(db, 2_500_000))) as DatabaseError).kind);
  expect(kinds).toEqual(["canceled", "canceled", "canceled"]);
  expect(await failure(count(db, 3))).toMatchObject({
    status: 503,
    reason: "the reading thread did not become free in 100 ms",
  });
  await waitFor(async () => (await failure(count(db, 3))) === null, {
    what: "the end of the third statement",
  });
});

test("a thousand reads wait for the thread at most", async () => {
  await using db = opened();
  await known(db);
  const running = count(db, 500_000);
  const waiting = Array.from({ length: 1000 }, () => count(db, 1));
  const refused = await failure(count(db, 1));
  expect(refused).toBeInstanceOf(DatabaseUnavailableError);
  expect(refused).toMatchObject({ reason: "1000 callers already wait for the reading thread" });
  await running;
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([1]));
});

test("closing waits for a read on the thread, and refuses the next", async () => {
  await using db = opened();
  await known(db);
  const running = count(db, 500_000);
  await new Promise(setImmediate);
  await db.close();
  expect(await running).toBe(500_000);
  expect(await failure(count(db, 1))).toMatchObject({ code: "DATABASE_CLOSED" });
});
