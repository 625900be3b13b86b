import { type Database, DatabaseUnavailableError, openDatabase, sql } from "@framework/database";
import { expect, test } from "@jest/globals";
import type { StoreBase } from "../base/store-base.ts";
import { StoreCounts } from "../base/store-counts.ts";
import { openEventStore } from "../index.ts";
import { archiveExpired } from "./archive-expired.ts";

/** A database with the expired streams a-1, b-1 and c-1. */
const expiredStreams = async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const store = await openEventStore({}, { db });
  for (const stream of ["a-1", "b-1", "c-1"]) await store.append(stream, { type: "Something", data: {} });
  await db.execute("UPDATE framework_streams SET updated_at = 0");
  return Object.assign(db, {
    async [Symbol.asyncDispose]() {
      await store.close();
      await db.close();
    },
  });
};

const baseOf = (db: Database) => {
  const errors: [message: string, fields: unknown][] = [];
  const log = { error: (message: string, fields: unknown) => errors.push([message, fields]) };
  const counts = new StoreCounts();
  const base = { db, log, now: sql`1000000`, counts } as unknown as StoreBase; // its other members are not used
  return { base, errors };
};

const { signal } = new AbortController();

test("a stream that cannot be archived is logged, and the streams after it are archived", async () => {
  await using db = await expiredStreams();
  await db.transaction((tx) =>
    tx.script(`CREATE TRIGGER fault BEFORE INSERT ON framework_archived_events WHEN NEW.stream = 'b-1'
      BEGIN SELECT raise(ABORT, 'fault'); END`),
  );
  const { base, errors } = baseOf(db);
  expect(await archiveExpired(base, 1, signal)).toBe(2);
  expect(base.counts.expired).toBe(2);
  expect(await db.query("SELECT stream FROM framework_archived_events ORDER BY stream")).toEqual([
    { stream: "a-1" },
    { stream: "c-1" },
  ]);
  expect(errors).toEqual([
    [
      "event-sourcing: streams could not be archived; the next run tries them again",
      {
        count: 1,
        streams: [{ tenant: "", stream: "b-1" }],
        error: expect.objectContaining({ message: expect.stringContaining("fault") }),
      },
    ],
  ]);
});

test("the first transaction without a database ends the run, and streams archived before it are counted", async () => {
  await using db = await expiredStreams();
  let transactions = 0;
  const failing: Database = new Proxy(db, {
    get: (target, name) => {
      if (name === "transaction" && ++transactions > 1)
        return () => Promise.reject(new DatabaseUnavailableError("the server is gone"));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const { base, errors } = baseOf(failing);
  await expect(archiveExpired(base, 1, signal)).rejects.toThrow(DatabaseUnavailableError);
  expect([transactions, base.counts.expired, errors]).toEqual([2, 1, []]);
});
