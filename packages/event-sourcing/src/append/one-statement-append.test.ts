import { type Database, openDatabase } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { expect, test } from "@jest/globals";
import { openEventStore } from "../open-event-store.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const added = { type: "Added", data: {} };

/** Wraps a database so that `call` runs before an append looks up why it inserted nothing. */
const beforeExplaining = (db: Database, call: () => Promise<unknown>): Database => {
  const fetchOne = async (...args: Parameters<Database["fetchOne"]>): Promise<unknown> => {
    await call();
    return await db.fetchOne(...args);
  };
  return Object.create(db, { fetchOne: { value: fetchOne } }) as Database;
};

test("an append of one event is retried if another process has since brought the stream to the expected version", async () => {
  await using file = databaseInFile();
  const db = openDatabase({ url: file.url });
  const other = await openEventStore({}, { db, log: silent });
  let lookups = 0;
  const racing = beforeExplaining(db, async () => {
    if (++lookups === 1) await other.append("s-1", [added, added]);
  });
  const store = await openEventStore({}, { db: racing, log: silent });
  lookups = 0;
  expect(await store.append("s-1", added, { expected: 2 })).toMatchObject({ version: 3, isNew: true });
  expect(lookups).toBe(1);
  for (const each of [store, other, db]) await each.close();
});

test("on SQLite, an append of one event runs without a transaction, and one of two events in a transaction", async () => {
  let transactions = 0;
  const db = openDatabase({ url: "sqlite://:memory:" });
  const transaction: Database["transaction"] = (run, options) => {
    transactions++;
    return db.transaction(run, options);
  };
  const counting = Object.create(db, { transaction: { value: transaction } }) as Database;
  const store = await openEventStore({}, { db: counting, log: silent });
  transactions = 0;
  await store.append("s-1", added);
  expect(transactions).toBe(0);
  expect(await store.append("s-1", [added, added])).toMatchObject({ version: 3 });
  expect(transactions).toBe(1);
  for (const each of [store, db]) await each.close();
});
