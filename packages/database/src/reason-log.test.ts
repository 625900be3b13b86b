import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { CommitUnknownError, DatabaseUnavailableError } from "./database-errors.ts";
import { type Database, type DatabaseConfig, database, type Queries, sql } from "./index.ts";
import { ReasonLog } from "./reason-log.ts";

type Line = readonly [message: string, fields: Readonly<Record<string, unknown>>];

/** A started app with a SQLite file, and the lines that it logs. */
const startApp = async (config: Partial<DatabaseConfig> = {}) => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const lines: Line[] = [];
  const app = new (App.with(database))().enableDatabase({
    url: `sqlite://${join(folder.path, "test.db")}`,
    ...config,
  });
  app.post("/things", ({ app: { db } }) => db.execute("INSERT INTO things VALUES (1)"));
  await app.start({
    log: { info() {}, error() {}, warn: (message, fields = {}) => void lines.push([message, fields]) },
  });
  await app.db.execute("CREATE TABLE things (n INTEGER)");
  const post = () => app.fetch(new Request("http://localhost/things", { method: "POST" }));
  const hold = async () => {
    const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction = app.db.transaction(async () => {
      held.resolve();
      await end.promise;
    });
    await held.promise;
    return async (): Promise<void> => {
      end.resolve();
      await transaction;
    };
  };
  const close = async (): Promise<void> => {
    await app.stop();
    folder.remove();
  };
  return { lines, db: app.db, post, hold, [Symbol.asyncDispose]: close };
};

test("the reason of many 503 replies is logged, but not once for each reply", async () => {
  await using app = await startApp({ connectionTimeoutSecs: 0.05 });
  const release = await app.hold();
  const replies = await Promise.all(Array.from({ length: 20 }, app.post));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]));
  await release();
  const reason = expect.stringContaining("the writing connection did not become free in 50 ms");
  expect(app.lines[0]).toEqual(["the database is not available", { reason }]);
  expect(app.lines.length).toBeLessThan(20);
});

test("a statement that waited for its connection is not logged as slow: the wait has its own line", async () => {
  await using app = await startApp({ slowQueryMs: 1000, synchronous: "normal" });
  const release = await app.hold();
  const from = performance.now();
  const replies = [app.post(), app.post()];
  await waitFor(() => performance.now() - from > 1200);
  await release();
  for (const reply of replies) expect((await reply).status).toBe(200);
  const [line] = app.lines;
  expect(app.lines).toHaveLength(1);
  expect(line?.[0]).toBe("waited long for a database connection");
  expect(line?.[1]["waitedMs"]).toBeGreaterThanOrEqual(1000);
});

const nowhere = "postgres://nobody@127.0.0.1:1/none"; // a port without a server: every connection is refused
const ways: readonly (readonly [how: string, use: (db: Database) => Promise<unknown>])[] = [
  ["a statement", (db) => db.query("SELECT 1")],
  ["a transaction", (db) => db.transaction((tx) => tx.query("SELECT 1"))],
  ["a stream", (db) => db.stream(sql`SELECT 1`).next()],
  ["a notification", (db) => db.notify("news")],
  ["a listener", (db) => db.listen("news", () => {})],
];
test.each(ways)("without a server %s fails, and the reason is logged", async (_how, use) => {
  const lines: Line[] = [];
  const app = new (App.with(database))().enableDatabase({ url: nowhere });
  await app.start({
    log: { info() {}, error() {}, warn: (message, fields = {}) => void lines.push([message, fields]) },
  });
  await expect(use(app.db)).rejects.toMatchObject({ status: 503 });
  const refused = ["the database is not available", { reason: "connect ECONNREFUSED 127.0.0.1:1" }];
  expect(lines.filter(([message]) => message !== "a database connection broke")).toEqual([refused]);
  await app.stop();
});

test("a transaction that took longer than its own limit is logged once with its reason, whether or not a statement follows", async () => {
  await using app = await startApp();
  for (const [timeoutSecs, then] of [
    [0.05, async (): Promise<unknown> => null],
    [0.06, (tx: Queries) => tx.query("SELECT 1")],
  ] as const) {
    const wait = Promise.withResolvers<void>();
    const run = (tx: Queries): Promise<unknown> => wait.promise.then(() => then(tx));
    const transaction = app.db.transaction(run, { timeoutSecs });
    await waitFor(() => app.lines.length > 0);
    wait.resolve();
    await expect(transaction).rejects.toMatchObject({ status: 503 });
    const timedOut = { reason: `the transaction took longer than ${timeoutSecs} s` };
    expect(app.lines.splice(0)).toEqual([["the database is not available", timedOut]]);
  }
});

test("each reason is logged once per second, with the number of omitted lines", async () => {
  const clock = virtualClock();
  const lines: Line[] = [];
  const log = new ReasonLog(
    () => ({ info() {}, error() {}, warn: (message, fields = {}) => void lines.push([message, fields]) }),
    clock,
  );
  const fail = (): void => {
    log.recordError(new DatabaseUnavailableError("full"));
    log.recordError(new CommitUnknownError(new DatabaseUnavailableError("cut")));
    log.recordError(new Error("of the program"));
  };
  for (let at = 0; at < 15; at++) {
    fail();
    await clock.advance(100);
  }
  const both = [
    ["the database is not available", "full"],
    ["the outcome of a commit is unknown", "cut"],
  ] as const;
  expect(lines).toEqual([
    ...both.map(([message, reason]) => [message, { reason }]),
    ...both.map(([message, reason]) => [message, { reason, omitted: 9 }]),
  ]);
});

test("the number of remembered reasons is bounded", () => {
  let lines = 0;
  const log = new ReasonLog(() => ({ info() {}, error() {}, warn: () => void lines++ }));
  for (let n = 0; n < 1000; n++) log.recordError(new DatabaseUnavailableError(`reason ${n}`));
  expect(lines).toBe(1000);
  expect((log as unknown as { reasons: Map<string, unknown> }).reasons.size).toBeLessThanOrEqual(100);
});
