import { virtualClock } from "@framework/testing";
import type { Database } from "@framework/database";
import { faultingDatabase } from "@framework/database/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { KernelLife } from "./base/kernel-life.ts";
import { TableSets } from "./base/table-sets.ts";
import { DurableConfig } from "./durable-config.ts";
import { createKernel } from "./kernel/kernel.ts";
import { type LeaseParts, leaseParts } from "./kernel/lease-parts.ts";
import type { HeldLease } from "./leases/held-lease.ts";
import type { Lane } from "./lanes/lane.ts";
import type { TestDatabase } from "./testing/open-databases.test-kit.ts";
import { tableClock, type TableClock } from "./testing/table-clock.ts";

const LEASE_MS = 15_000;
const quiet = { info() {}, warn() {}, error() {} };

/** A process without timers: the test calls the functions that its loops would call. */
const manualProcess = (
  db: Database,
  id: string,
  time: TableClock,
): LeaseParts & { readonly lanesRun: Lane[] } => {
  const parts = leaseParts({
    id,
    db,
    now: time.now,
    config: DurableConfig.of({ leaseMs: LEASE_MS }),
    clock: virtualClock(),
    random: () => 0.5,
    log: quiet,
    place: () => ({ id: null, pid: 1, started: null, isGone: () => false }),
    shared: null,
    host: null,
    life: new KernelLife(virtualClock, () => quiet),
    tables: new TableSets(),
  });
  const lanesRun: Lane[] = [];
  parts.lanes.add({
    kind: "crash",
    count: 3,
    run: (lane) => {
      lanesRun.push(lane);
      return new Promise((resolve) => lane.signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  });
  return { ...parts, lanesRun };
};

/** Runs every operation of owners, leases and lanes. */
const runEachOperation = async (
  process: ReturnType<typeof manualProcess>,
  db: Database,
  holds: HeldLease[],
): Promise<void> => {
  const { owners, lanes, leases, membership } = process;
  const { signal } = new AbortController();
  await lanes.pollOnce();
  await lanes.pollOnce();
  const lease = await leases.acquire("crash lease", "one");
  if (lease !== null) holds.push(lease);
  await db.transaction(async (tx) => {
    for (const hold of [...process.lanesRun, ...holds]) await hold.check(tx);
  });
  await membership.renew(signal);
  await leases.renew(signal);
  await owners.takeOver();
  await lease?.release();
  await lanes.drain(AbortSignal.timeout(60_000));
  await leases.stop();
  await owners.stop();
};

/** Declares the tests of crashes at each statement, which run on every database. */
export const crashPoints = (test: typeof jestTest, make: () => Promise<TestDatabase>): void => {
  test.each(["before", "after"] as const)(
    "if a process dies %s any statement, another process gets all its lanes and leases after leaseMs, and its former leases are refused",
    async (when) => {
      await using database = await make();
      const [db, other] = [database.open(), database.open()];
      await createKernel(db).migrate();
      const time = await tableClock(db);
      let points = 0;
      for (let at = 1, hasSurvived = false; !hasSurvived; at++) {
        const faulty = faultingDatabase(db, { at, when });
        const process = manualProcess(faulty, `dies at ${at}`, time);
        const holds: HeldLease[] = [];
        await runEachOperation(process, faulty, holds).catch((error: unknown) => {
          if (!faulty.isDead) throw error;
        });
        await faulty.close();
        hasSurvived = !faulty.isDead;
        points++;
        await time.advance(LEASE_MS);
        const successor = manualProcess(other, `successor ${at}`, time);
        await successor.lanes.pollOnce();
        await successor.lanes.pollOnce();
        expect(successor.lanesRun.map(({ lane }) => lane).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
        const lease = await successor.leases.acquire("crash lease", "one");
        expect(lease).not.toBeNull();
        await expectRefused(db, process, [...process.lanesRun, ...holds]);
        await lease?.release();
        await successor.lanes.drain(AbortSignal.timeout(60_000));
        await successor.owners.stop();
      }
      expect(points).toBeGreaterThan(20);
    },
    120_000,
  );
};

/** Expects that the leases of the resumed process fail their check. */
const expectRefused = async (
  db: Database,
  { leases }: LeaseParts,
  holds: readonly (Lane | HeldLease)[],
): Promise<void> => {
  for (const hold of holds) {
    const lease = leases.hold(
      "lane" in hold ? "crash" : hold.kind,
      "lane" in hold ? nameOf(hold) : hold.name,
      hold.fence,
    );
    await expect(db.transaction((tx) => lease.check(tx))).rejects.toMatchObject({
      code: "DURABLE_LEASE_LOST",
    });
  }
};

const nameOf = ({ lane }: Lane): string => String(lane).padStart(4, "0");
