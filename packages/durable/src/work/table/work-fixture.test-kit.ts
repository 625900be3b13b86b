// Shared by the contract of the work table: a table on an empty database, and helpers.
import assert from "node:assert/strict";
import { type Database, migrate } from "@framework/database";
import { groupCommit } from "../../group-commit/group-commit.ts";
import type { TestDatabase } from "../../testing/open-databases.test-kit.ts";
import { tableClock, type TableClock } from "../../testing/table-clock.ts";
import { type WorkStore, workStore } from "./work-store.ts";
import type { ClaimedRow } from "./claiming.ts";
import type { NewRow } from "./enqueueing.ts";
import { workTables } from "./work-tables.ts";

/** A work table on an empty database, with a clock that only the test advances. */
export interface WorkFixture extends AsyncDisposable {
  readonly db: Database;
  readonly store: WorkStore;
  readonly clock: TableClock;
}

/** Creates the table in an empty database. */
export const workFixture = async (database: TestDatabase): Promise<WorkFixture> => {
  const db = database.open();
  await migrate(db, { set: "durable-work", migrations: workTables });
  const clock = await tableClock(db);
  const store = workStore({ db, now: clock.now.text, transaction: groupCommit(db) });
  return { db, store, clock, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
};

export const LEASE_MS = 15_000;

/** A row to add: its payload is its name. */
export const row = (name: string, parts: Partial<NewRow> = {}): NewRow => ({
  key: null,
  uniqueKey: null,
  priority: 0,
  delayMs: 0,
  runAt: null,
  payload: JSON.stringify(name),
  headers: null,
  ...parts,
});

export const add = async ({ enqueueing }: WorkStore, ...rows: readonly NewRow[]): Promise<number[]> =>
  (await enqueueing.add("mail", rows)).map(({ id }) => id);

export const claim = (store: WorkStore, limit = 10, owner = "me"): Promise<readonly ClaimedRow[]> =>
  store.claiming.claim({ queue: "mail", owner, limit, leaseMs: LEASE_MS });

export const names = (rows: readonly ClaimedRow[]): string[] =>
  rows.map(({ payload }) => JSON.parse(payload) as string);

export const claimOne = async (store: WorkStore, owner = "me"): Promise<ClaimedRow> => {
  const [claimed] = await claim(store, 1, owner);
  assert.ok(claimed, "expected a ready item");
  return claimed;
};

/** Compares by structure: lists from the database come from another realm than the test. */
export const same = (actual: unknown, expected: unknown): void =>
  assert.deepEqual(JSON.parse(JSON.stringify(actual)), expected);

export const ids = (set: ReadonlySet<number>): number[] => Array.from(set);
