import { App } from "@framework/core";
import { expect, jest, test } from "@jest/globals";
import { database, openDatabase, type Transaction } from "../index.ts";

const memory = { url: "sqlite://:memory:" };

test("callbacks run before the transaction's promise resolves", async () => {
  const db = openDatabase(memory);
  const seen: string[] = [];
  await db.transaction(async (tx) => tx.onCommit(() => void seen.push("callback")));
  seen.push("resolved");
  expect(seen).toEqual(["callback", "resolved"]);
  await db.close();
});

test("a callback may use the database", async () => {
  const db = openDatabase(memory);
  const { promise: seen, resolve } = Promise.withResolvers<unknown>();
  await db.transaction(async (tx) => {
    await tx.execute("CREATE TABLE things (n INTEGER)");
    tx.onCommit(() => resolve(db.transaction((next) => next.fetchValue("SELECT count(*) FROM things"))));
  });
  expect(await seen).toBe(0);
  await db.close();
});

test("a rejected commit calls no callback", async () => {
  const db = openDatabase(memory);
  await db.execute("CREATE TABLE parents (id INTEGER PRIMARY KEY)");
  await db.execute("CREATE TABLE books (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)");
  let called = 0;
  const refused = db.transaction(async (tx) => {
    tx.onCommit(() => void called++);
    await tx.execute("INSERT INTO books VALUES (7)");
  });
  await expect(refused).rejects.toMatchObject({ kind: "foreign-key" });
  expect(called).toBe(0);
  await db.close();
});

test("at most 10 000 callbacks are registered; the callbacks of a nested transaction that was rolled back do not count", async () => {
  const db = openDatabase(memory);
  let called = 0;
  const add = (tx: Transaction, count: number): void => {
    for (let n = 0; n < count; n++) tx.onCommit(() => void called++);
  };
  await db.transaction(async (tx) => {
    add(tx, 4000);
    await tx.transaction(async (inner) => add(inner, 2000));
    const full = tx.transaction(async (inner) => add(inner, 4001));
    await expect(full).rejects.toMatchObject({ code: "DATABASE_TOO_MANY_CALLBACKS" });
    add(tx, 4000);
  });
  expect(called).toBe(10_000);
  await db.close();
});

test("a transaction that has ended or has an open nested one registers no callback", async () => {
  const db = openDatabase(memory);
  let ended: Transaction | null = null;
  await db.transaction(async (tx) => {
    ended = tx;
    await tx.transaction(async () => {
      expect(() => tx.onCommit(() => {})).toThrow("a nested transaction is open");
    });
  });
  expect(() => (ended as Transaction | null)?.onCommit(() => {})).toThrow("this transaction has ended");
  await db.close();
});

test("an app logs the errors of callbacks", async () => {
  const lines: unknown[] = [];
  const app = new (App.with(database))().enableDatabase(memory);
  const error = (message: string, fields: unknown): void => void lines.push([message, fields]);
  await app.start({ log: { info() {}, warn() {}, error } });
  const [thrown, rejected] = [new Error("thrown"), new Error("rejected")];
  await app.db.transaction(async (tx) => {
    tx.onCommit(() => Promise.reject(rejected));
    tx.onCommit(() => {
      throw thrown;
    });
  });
  const line = (cause: Error) => ["a callback of onCommit failed", { error: cause }];
  expect(lines).toEqual([line(thrown), line(rejected)]);
  await app.stop();
});

test("without an app the error of a callback is a process warning", async () => {
  const db = openDatabase(memory);
  const emitWarning = jest.spyOn(process, "emitWarning").mockImplementation(() => {});
  for (const error of [new Error("mine"), Object.create(null)])
    await db.transaction(async (tx) =>
      tx.onCommit(() => {
        throw error;
      }),
    );
  expect(emitWarning.mock.calls).toEqual(
    ["mine", "{}"].map((detail) => ["a callback of onCommit failed", { detail }]),
  );
  emitWarning.mockRestore();
  await db.close();
});
