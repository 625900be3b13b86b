import { type Database, openDatabase } from "@framework/database";
import type { Positions } from "../base/store-base.ts";
import { openEventStore } from "../open-event-store.ts";
import { faultsOf, naiveReader, type Reader, storeReader } from "./readers.test-kit.ts";
import { keepTransactionOpen, write } from "./writers.test-kit.ts";

/** Appends per run; `FRAMEWORK_GAP_APPENDS=10000` for a long run. */
const appends: Readonly<Record<Positions, number>> = {
  sequence: Number(process.env["FRAMEWORK_GAP_APPENDS"] ?? 500),
  counter: Number(process.env["FRAMEWORK_GAP_APPENDS"] ?? 150), // one append at a time
};

const WRITERS = 8;

/** The outcome of a run. */
export interface GapReport {
  /** Events in the table. */
  readonly events: number;
  /** Positions without an event. */
  readonly gaps: number;
  /** Positions that readers recorded as skipped. */
  readonly skipped: number;
  readonly store: Awaited<ReturnType<typeof faultsOf>>;
  readonly naive: Awaited<ReturnType<typeof faultsOf>>;
  /** Number of polls of all readers while writers wrote. */
  readonly polls: number;
}

/** Runs 8 writers, long transactions without appends, two store readers with separate connections, and a naive reader. */
export const runGapHarness = async (
  url: string,
  positions: Positions,
  random: () => number,
): Promise<GapReport> => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const dbs: Database[] = [];
  const open = (poolSize: number): Database => {
    const db = openDatabase({ url, poolSize });
    dbs.push(db);
    return db;
  };
  const db = open(WRITERS + 2);
  const store = await openEventStore({ positions }, { db, log });
  const readerDbs = [open(3), open(3)] as const;
  const stores = await Promise.all(readerDbs.map((each) => openEventStore({ positions }, { db: each, log })));
  await db.execute("CREATE TABLE IF NOT EXISTS unrelated (note TEXT)");

  const done = new AbortController();
  const readers: Reader[] = [...stores.map(storeReader), naiveReader(readerDbs[0])];
  let polls = 0;
  const polling = readers.map(async (reader) => {
    while (!done.signal.aborted) {
      await reader.poll();
      polls++;
    }
  });
  const longTransactions = keepTransactionOpen(db, done.signal);
  const left = { count: appends[positions] };
  await Promise.all(Array.from({ length: WRITERS }, () => write({ db, store, random }, left)));
  done.abort();
  await Promise.all([...polling, longTransactions]);
  for (const reader of readers) await finish(reader);

  const count = async (text: string): Promise<number> => (await db.fetchValue<number>(text)) ?? 0;
  const [first, second, naive] = await Promise.all(readers.map((reader) => faultsOf(db, reader)));
  const report: GapReport = {
    events: await count("SELECT count(*) FROM framework_events"),
    gaps: await count("SELECT max(position) - count(*) FROM framework_events"),
    skipped: await count(
      "SELECT coalesce(sum(to_position - from_position + 1), 0)::bigint FROM framework_event_skips",
    ),
    store: sum(first, second),
    naive: sum(naive),
    polls,
  };
  for (const each of [...stores, store]) await each.close();
  for (const each of dbs) await each.close();
  return report;
};

/** Reads until no more events appear. */
const finish = async (reader: Reader): Promise<void> => {
  for (let before = -1; before < reader.seen.length;) {
    before = reader.seen.length;
    await reader.poll();
    await reader.poll();
  }
};

type Faults = Awaited<ReturnType<typeof faultsOf>>;

const sum = (...all: readonly (Faults | undefined)[]): Faults => {
  const total = (name: keyof Faults): number => all.reduce((before, each) => before + (each?.[name] ?? 0), 0);
  return { lost: total("lost"), duplicated: total("duplicated"), reordered: total("reordered") };
};
