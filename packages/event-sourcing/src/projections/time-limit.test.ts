import { type Database, openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import { openEventStore, type Projection } from "../index.ts";
import { Borrowed, Extended, loanTypes } from "../loan.test-kit.ts";
import { longTimeout, POISON, shelf, shelfRows } from "./shelf.test-kit.ts";

const silent = { info() {}, warn() {}, error() {} };
const LIMIT_SECS = 3;

/** A database in memory that shortens the time limits of transactions. */
const withShortTimeLimit = (): Database => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const { transaction } = db;
  const shortened: Database["transaction"] = (run, options = {}) =>
    transaction.call(
      db,
      run,
      options.timeoutSecs === undefined ? options : { ...options, timeoutSecs: LIMIT_SECS },
    ) as never;
  return Object.assign(db, { transaction: shortened });
};

const { apply } = shelf();
/** Never resolves for an event of the member `POISON`, or a batch of more than three events. */
const stuck: Projection["apply"] = async (tx, events, context) => {
  const isStuck = events.some(({ data }) => (data as { member?: string }).member === POISON);
  if (isStuck || events.length > 3) await new Promise<never>(() => {});
  await apply(tx, events, context);
};

test("a batch that exceeds the time limit is applied one by one, and an event that alone exceeds it is parked", async () => {
  const db = withShortTimeLimit();
  const store = await openEventStore(
    { events: loanTypes, projections: [shelf({ apply: stuck })] },
    { db, log: silent },
  );
  await store.appendMany([
    { stream: "loan-1", events: [Borrowed({ member: "ann" }), Extended({ days: 7 }), Extended({ days: 1 })] },
    { stream: "loan-2", events: [Borrowed({ member: POISON })] },
    { stream: "loan-3", events: [Borrowed({ member: "bob" })] },
  ]);
  expect(await store.waitFor(await store.position(), longTimeout)).toBe(true);
  expect((await shelfRows(db)).map(({ stream, applied }) => [stream, applied])).toEqual([
    ["loan-1", 3],
    ["loan-3", 1],
  ]);
  const [parked, ...others] = (await store.parked.list({})).items;
  expect(others).toEqual([]);
  expect(parked).toMatchObject({ key: "/loan-2", attempts: 2, errorCode: "DATABASE_TRANSACTION_TIMEOUT" });
  await store.close();
  await db.close();
});
