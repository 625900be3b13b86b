import { type Database, migrate, sql } from "@framework/database";
import { faultingDatabase } from "@framework/database/testing";
import { systemClock } from "@framework/core/feature";
import { expect, type test as jestTest } from "@jest/globals";
import type { KernelBase } from "../base/kernel-base.ts";
import { KernelLife } from "../base/kernel-life.ts";
import { TableSets } from "../base/table-sets.ts";
import { DurableConfig } from "../durable-config.ts";
import { groupCommit } from "../group-commit/group-commit.ts";
import { failureOf } from "../parked/failure.ts";
import { OpenParked } from "../parked/open-parked.ts";
import { parkedTables } from "../parked/parked-tables.ts";
import type { TestDatabase } from "../testing/open-databases.test-kit.ts";
import { tableClock, type TableClock } from "../testing/table-clock.ts";
import { WakeUp } from "../wake-up/wake-up.ts";
import { Attempt } from "./loop/attempt.ts";
import { parkedItemsSource, parkItems } from "./parked-items.ts";
import { queueDefinition } from "./queue/queue-options.ts";
import type { ClaimedRow } from "./table/claiming.ts";
import { row } from "./table/work-fixture.test-kit.ts";
import { workTables } from "./table/work-tables.ts";
import { workStore } from "./table/work-store.ts";

const LEASE_MS = 15_000;
const QUEUE = "mail";
const quiet = { info() {}, warn() {}, error() {} };
const definition = queueDefinition({ name: QUEUE, keepFailedSecs: 0, handle: () => {} });

/** A process without timers: the test calls the functions that its loops would call. */
const manualProcess = (db: Database, id: string, time: TableClock) => {
  const base: KernelBase = {
    id,
    db,
    now: time.now,
    config: DurableConfig.of({ leaseMs: LEASE_MS, keepParkedSecs: 0 }),
    clock: systemClock, // a replay pauses between two items
    random: () => 0.5,
    log: quiet,
    place: () => ({ id: null, pid: 1, started: null, isGone: () => false }),
    shared: null,
    host: null,
    life: new KernelLife(
      () => systemClock,
      () => quiet,
    ),
    tables: new TableSets(),
  };
  const transaction = groupCommit(db);
  const store = workStore({ db, now: time.now.text, transaction });
  const parked = new OpenParked(base, transaction);
  const parts = { base, store: () => store, parked, transaction, wakeUp: new WakeUp(base) };
  parked.add(parkedItemsSource(parts));
  const claim = (limit = 1): Promise<readonly ClaimedRow[]> =>
    store.claiming.claim({ queue: QUEUE, owner: id, limit, leaseMs: LEASE_MS });
  return { db, store, parked, claim, park: parkItems(parts) };
};

type Process = ReturnType<typeof manualProcess>;

const claimOne = async (process: Process): Promise<ClaimedRow> => {
  const [claimed] = await process.claim();
  if (claimed === undefined) throw new Error("nothing is ready");
  return claimed;
};

/** Adds an item and a row of the ledger in one transaction. */
const enqueue = (process: Process, name: string): Promise<unknown> =>
  process.db.transaction(async (tx) => {
    await tx.execute`INSERT INTO ledger (name, event) VALUES (${name}, 'added')`;
    await process.store.enqueueing.add(QUEUE, [row(name, { key: "k" })], tx);
  });

/** Completes an item and writes its effect in one transaction. */
const complete = async (process: Process, item: ClaimedRow): Promise<void> => {
  await process.db.transaction(async (tx) => {
    await tx.execute`INSERT INTO ledger (name, event) VALUES (${JSON.parse(item.payload) as string}, 'done')`;
    const held = await process.store.settling.remove([item], tx);
    if (!held.has(item.id)) throw new Error("lost");
    await process.store.keyOrder.unblock(QUEUE, ["k"], tx);
  });
};

const park = async (process: Process, item: ClaimedRow): Promise<void> => {
  await process.park({ definition, attempt: new Attempt(item), failure: failureOf(new Error("no")) });
  await process.store.keyOrder.unblock(QUEUE, ["k"]);
};

/** Runs every operation that takes several statements, on five items of one key. */
const runEachOperation = async (process: Process): Promise<void> => {
  const { store, parked, db } = process;
  for (const name of ["a", "b", "c", "d", "e"]) await enqueue(process, name);
  await store.keyOrder.block(QUEUE);
  await complete(process, await claimOne(process));
  const retried = await claimOne(process);
  await store.settling.settle([{ ...retried, state: "ready", error: "{}" }]);
  await park(process, await claimOne(process));
  await park(process, await claimOne(process));
  const { items } = await parked.list();
  const [b, c] = items.map(({ id }) => id);
  await parked.replay([b ?? ""]);
  await parked.discard([c ?? ""], { note: "not needed" });
  await db.execute("INSERT INTO ledger (name, event) VALUES ('c', 'given up')");
  const left = await store.reading.list({ queue: QUEUE, state: null, key: null, after: 0, limit: 10 });
  const d = left.find(({ payload }) => payload === '"d"');
  await store.stopping.cancel(QUEUE, d?.id ?? 0);
  await store.keyOrder.unblock(QUEUE, ["k"]);
  await store.stopping.prune([{ queue: QUEUE, state: "cancelled", keepMs: 0 }], 10);
  await parked.store.prune();
};

/** Replays all parked items, and completes all ready ones. */
const finish = async (process: Process, time: TableClock): Promise<void> => {
  const { store, parked } = process;
  await time.advance(LEASE_MS);
  await store.leasing.takeExpired();
  await store.keyOrder.heal();
  await parked.replay({ source: "work" }, { limit: 100, perSecond: 10_000 });
  for (;;) {
    const [item] = await process.claim();
    if (item === undefined) return;
    await complete(process, item);
  }
};

/**
 * Declares the tests of crashes at each statement, which run on every database.
 *
 * @param stride distance between two crash points, in statements; 1 crashes at every statement
 */
export const workCrashPoints = (
  test: typeof jestTest,
  make: () => Promise<TestDatabase>,
  stride: number,
): void => {
  test.each(["before", "after"] as const)(
    "after a crash %s any statement, every added item is completed exactly once, unless it was discarded or cancelled",
    async (when) => {
      await using database = await make();
      const [db, other] = [database.open(), database.open()];
      await migrate(db, { set: "durable-work", migrations: workTables });
      await migrate(db, { set: "durable-parked", migrations: parkedTables });
      await db.execute("CREATE TABLE ledger (name TEXT NOT NULL, event TEXT NOT NULL)");
      const time = await tableClock(db);
      let points = 0;
      for (let at = 1, hasSurvived = false; !hasSurvived; at += stride) {
        for (const table of ["ledger", "framework_work", "framework_parked"])
          await db.execute`DELETE FROM ${sql.identifier(table)}`;
        const faulty = faultingDatabase(db, { at, when });
        await runEachOperation(manualProcess(faulty, `dies at ${at}`, time)).catch((error: unknown) => {
          if (!faulty.isDead) throw error;
        });
        await faulty.close();
        hasSurvived = !faulty.isDead;
        points++;
        await finish(manualProcess(other, `successor ${at}`, time), time);
        await expectEachOnce(db, at);
      }
      expect(points * stride).toBeGreaterThan(40);
    },
    300_000,
  );
};

/** Each item that was added is done once; only `c` may be discarded and `d` cancelled instead. */
const expectEachOnce = async (db: Database, at: number): Promise<void> => {
  const rows = await db.query<{ name: string; event: string }>("SELECT name, event FROM ledger");
  const names = (event: string): string[] =>
    Array.from(rows)
      .filter((each) => each.event === event)
      .map(({ name }) => name)
      .toSorted();
  const open = await db.query<{ state: string }>(
    "SELECT state FROM framework_work WHERE finished_at IS NULL",
  );
  const parked = await db.query("SELECT id FROM framework_parked WHERE state = 'parked'");
  expect([at, open.length, parked.length]).toEqual([at, 0, 0]);
  const done = names("done");
  expect([at, new Set(done).size]).toEqual([at, done.length]);
  const missing = names("added").filter((name) => !done.includes(name));
  expect([at, missing.filter((name) => name !== "c" && name !== "d")]).toEqual([at, []]);
  expect([at, done.filter((name) => !names("added").includes(name))]).toEqual([at, []]);
};
