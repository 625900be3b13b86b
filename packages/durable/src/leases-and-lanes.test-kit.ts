import { virtualClock, waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { createKernel, type HeldLease, type KernelOptions, type Lane, type OwnKernel } from "./feature.ts";
import type { Place } from "./place/place.ts";
import { tableClock, type TableClock } from "./testing/table-clock.ts";
import type { TestDatabase } from "./testing/open-databases.test-kit.ts";

const LEASE_MS = 15_000;

const quiet = { info() {}, warn() {}, error() {} };

/** A place that knows no other process: only leases decide. */
const nowhere = (): Place => ({ id: null, pid: 1, started: null, isGone: () => false });

/** Processes on one database, whose time only the test advances. */
export class Processes {
  readonly time: TableClock;
  private readonly database: TestDatabase;

  constructor(database: TestDatabase, time: TableClock) {
    this.database = database;
    this.time = time;
  }

  static async on(database: TestDatabase): Promise<Processes> {
    return new Processes(database, await tableClock(database.open()));
  }

  /** A process with a connection of its own, started. */
  async start(options: KernelOptions = {}): Promise<OwnKernel> {
    const kernel = this.create(options);
    await kernel.start();
    return kernel;
  }

  create(options: KernelOptions = {}): OwnKernel {
    const { now } = this.time;
    const config = { leaseMs: LEASE_MS, pollMinMs: 1, pollMaxMs: 20 };
    return createKernel(this.database.open(), { now, config, log: quiet, place: nowhere, ...options });
  }
}

/** Runs lanes and records which are running, in one process. */
const running = (kernel: OwnKernel, kind: string, count: number) => {
  const lanes = new Map<number, Lane>();
  const handle = kernel.lanes({
    kind,
    count,
    async run(lane) {
      lanes.set(lane.lane, lane);
      await aborted(lane.signal);
      lanes.delete(lane.lane);
    },
  });
  return { lanes, handle };
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** A lease that must be free. */
export const claimed = async (kernel: OwnKernel, kind: string, name: string): Promise<HeldLease> => {
  const lease = await kernel.acquireLease(kind, name);
  if (lease === null) throw new Error("the lease is not free");
  return lease;
};

/** Timers that never fire: a process that hangs. */
const hanging = () => virtualClock();

/** What holds for leases and lanes on every database. */
export const leasesAndLanes = (test: typeof jestTest, make: () => Promise<TestDatabase>): void => {
  const fact = (name: string, run: (processes: Processes) => Promise<void>): void =>
    test(
      name,
      async () => {
        await using database = await make();
        await run(await Processes.on(database));
      },
      120_000,
    );

  fact("a lease has one owner, and the next has a higher fence", async (processes) => {
    await using one = await processes.start();
    await using other = await processes.start();
    const lease = await claimed(one, "rebuild", "shelf");
    expect(await other.acquireLease("rebuild", "shelf")).toBeNull();
    expect(await one.acquireLease("rebuild", "shelf")).toBeNull();
    expect(await other.acquireLease("rebuild", "other")).not.toBeNull();
    await lease.release();
    expect(lease.signal.aborted).toBe(true);
    const next = await claimed(other, "rebuild", "shelf");
    expect(next.fence).toBeGreaterThan(lease.fence);
  });

  fact("of many processes that claim a lease at once, one gets it", async (processes) => {
    const kernels = await Promise.all(Array.from({ length: 4 }, () => processes.start()));
    for (const name of ["a", "b", "c"]) {
      const leases = await Promise.all(
        kernels.flatMap((kernel) => [kernel.acquireLease("cron", name), kernel.acquireLease("cron", name)]),
      );
      expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
    }
    for (const kernel of kernels) await kernel.stop();
  });

  fact("an expired lease is taken over, and the write of its former owner is refused", async (processes) => {
    await using hung = await processes.start({ clock: hanging() });
    await using other = await processes.start();
    const stale = await claimed(hung, "rebuild", "shelf");
    await processes.time.advance(LEASE_MS - 1);
    expect(await other.acquireLease("rebuild", "shelf")).toBeNull();
    await processes.time.advance(1);
    const lease = await claimed(other, "rebuild", "shelf");
    const write = (owner: OwnKernel, held: HeldLease) =>
      owner.db.transaction(async (tx) => {
        await tx.execute`INSERT INTO framework_lanes (kind, lanes) VALUES (${`written by ${held.fence}`}, 1)`;
        await held.check(tx);
      });
    await expect(write(hung, stale)).rejects.toMatchObject({
      name: "LeaseLostError",
      code: "DURABLE_LEASE_LOST",
    });
    expect(stale.signal.reason).toMatchObject({ code: "DURABLE_LEASE_LOST" });
    await write(other, lease);
    const rows = await other.db.query("SELECT kind FROM framework_lanes");
    expect(rows).toEqual([{ kind: `written by ${lease.fence}` }]);
  });

  fact(
    "a claim whose answer was lost is claimed again by the same process, without waiting for the lease",
    async (processes) => {
      await using one = await processes.start();
      const lease = await claimed(one, "rebuild", "shelf");
      const owner = await one.db.fetchValue<string>("SELECT owner FROM framework_leases");
      await lease.release();
      await one.db
        .execute`UPDATE framework_leases SET owner = ${owner}, lease_until = ${await processes.time.read()} + 15000`;
      const again = await claimed(one, "rebuild", "shelf");
      expect(again.fence).toBeGreaterThan(lease.fence);
    },
  );

  fact("a late release of a former owner leaves the new owner its lease", async (processes) => {
    await using hung = await processes.start({ clock: hanging() });
    await using other = await processes.start();
    const stale = await claimed(hung, "rebuild", "shelf");
    await processes.time.advance(LEASE_MS);
    const lease = await claimed(other, "rebuild", "shelf");
    await stale.release();
    await other.db.transaction((tx) => lease.check(tx));
    expect(await hung.acquireLease("rebuild", "shelf")).toBeNull();
  });

  fact("an expired lease is not taken during a transaction that has checked it", async (processes) => {
    await using hung = await processes.start({ clock: hanging() });
    await using other = await processes.start();
    const lease = await claimed(hung, "rebuild", "shelf");
    const order: string[] = [];
    const { promise: checked, resolve: hasChecked } = Promise.withResolvers<void>();
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    await processes.time.advance(LEASE_MS);
    const writing = hung.db
      .transaction(async (tx) => {
        await lease.check(tx);
        hasChecked();
        await held;
      })
      .then(() => order.push("committed"));
    await checked;
    // PostgreSQL answers that it is not free, SQLite waits for the transaction.
    const attempt = other
      .acquireLease("rebuild", "shelf")
      .then((got) => order.push(got === null ? "refused" : "claimed"));
    if (other.db.dialect === "postgres") await attempt;
    letGo();
    await Promise.all([writing, attempt]);
    expect(order).toEqual(
      other.db.dialect === "postgres" ? ["refused", "committed"] : ["committed", "claimed"],
    );
    if (other.db.dialect === "postgres") await claimed(other, "rebuild", "shelf");
  });

  fact("a process stops: its leases are free at once", async (processes) => {
    const one = await processes.start();
    await using other = await processes.start();
    const lease = await claimed(one, "rebuild", "shelf");
    await one.stop();
    expect(lease.signal.aborted).toBe(true);
    expect(await one.acquireLease("rebuild", "shelf")).toBeNull();
    await claimed(other, "rebuild", "shelf");
  });

  fact("renewals keep a lease, whatever the time of the worker's clock", async (processes) => {
    const ahead = virtualClock({ start: 3_600_000 });
    const behind = virtualClock({ start: -3_600_000 });
    await using one = await processes.start({ clock: ahead });
    await using other = await processes.start({ clock: behind });
    const lease = await claimed(one, "rebuild", "shelf");
    const until = async () => await one.db.fetchValue<number>`SELECT lease_until FROM framework_leases`;
    for (let round = 0; round < 6; round++) {
      const before = (await until()) ?? 0;
      await processes.time.advance(LEASE_MS / 3);
      await ahead.advance(LEASE_MS / 3);
      await waitFor(async () => ((await until()) ?? 0) > before, { what: "the renewal" });
      expect(await other.acquireLease("rebuild", "shelf")).toBeNull();
    }
    expect(lease.signal.aborted).toBe(false);
  });

  fact(
    "one process runs all lanes, a second one takes half, and gets all when the first stops",
    async (processes) => {
      const one = await processes.start();
      const first = running(one, "projection", 8);
      await waitFor(() => first.lanes.size === 8, { what: "all lanes" });
      await using other = await processes.start();
      const second = running(other, "projection", 8);
      await waitFor(() => first.lanes.size === 4 && second.lanes.size === 4, { what: "half of them" });
      expect([...first.handle.held(), ...second.handle.held()].toSorted((a, b) => a - b)).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7,
      ]);
      await one.stop();
      expect(first.lanes.size).toBe(0);
      await waitFor(() => second.lanes.size === 8, { what: "all lanes in the other process" });
    },
  );

  fact("five processes share seven lanes as equally as possible", async (processes) => {
    const kernels = await Promise.all(Array.from({ length: 5 }, () => processes.start()));
    const sets = kernels.map((kernel) => running(kernel, "projection", 7));
    const sizes = () => sets.map(({ handle }) => handle.held().length).toSorted((a, b) => a - b);
    await waitFor(() => sizes().join() === "1,1,1,2,2", { what: "equal shares" });
    await Promise.all(kernels.map((kernel) => kernel.stop()));
  });

  fact(
    "lanes of a process that hangs are taken over after the lease, and refused to it",
    async (processes) => {
      const clock = virtualClock();
      await using hung = await processes.start({ clock });
      const first = running(hung, "projection", 4);
      await waitFor(async () => (await clock.advance(20), first.lanes.size === 4), { what: "all lanes" });
      await using other = await processes.start();
      const stale = [...first.lanes.values()];
      const second = running(other, "projection", 4);
      await processes.time.advance(LEASE_MS);
      await waitFor(() => second.lanes.size === 4, { what: "all lanes in the other process" });
      for (const lane of stale) {
        await expect(hung.db.transaction((tx) => lane.check(tx))).rejects.toMatchObject({
          code: "DURABLE_LEASE_LOST",
        });
        expect(lane.signal.aborted).toBe(true);
      }
    },
  );

  fact("a process that comes back after a stall gets its share again", async (processes) => {
    const clock = virtualClock();
    await using stalled = await processes.start({ clock });
    const first = running(stalled, "projection", 4);
    await waitFor(async () => (await clock.advance(20), first.lanes.size === 4), { what: "all lanes" });
    await using other = await processes.start();
    const second = running(other, "projection", 4);
    await processes.time.advance(LEASE_MS);
    await waitFor(() => second.lanes.size === 4, { what: "all lanes in the other process" });
    await clock.advance(LEASE_MS / 3); // its renewals find the leases lost
    await waitFor(async () => (await clock.advance(20), first.lanes.size === 2 && second.lanes.size === 2), {
      what: "equal shares",
    });
  });

  fact("a lane whose function fails or returns is called again", async (processes) => {
    await using kernel = await processes.start();
    let calls = 0;
    kernel.lanes({
      kind: "failing",
      count: 1,
      run: () => (++calls % 2 === 0 ? Promise.resolve() : Promise.reject(new Error("no"))),
    });
    await waitFor(() => calls >= 4, { what: "four calls" });
  });

  fact("a lane is given to others only when its function has returned", async (processes) => {
    await using one = await processes.start();
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const active = new Map<number, number>();
    const run = async ({ lane, signal }: Lane, end: Promise<void>): Promise<void> => {
      active.set(lane, (active.get(lane) ?? 0) + 1);
      expect(active.get(lane)).toBe(1);
      await aborted(signal);
      await end;
      active.set(lane, 0);
    };
    const first = one.lanes({ kind: "slow", count: 2, run: (lane) => run(lane, finished) });
    await waitFor(() => active.size === 2, { what: "both lanes" });
    await using other = await processes.start();
    const second = other.lanes({ kind: "slow", count: 2, run: (lane) => run(lane, Promise.resolve()) });
    await waitFor(() => first.held().length === 1, { what: "the first process to give one up" });
    expect(second.held()).toEqual([]);
    finish();
    await waitFor(() => second.held().length === 1, { what: "the second process to own one" });
  });

  fact(
    "processes with another number of lanes wait until those with the present one have stopped",
    async (processes) => {
      const old = await processes.start();
      const oldLanes = running(old, "projection", 2);
      await waitFor(() => oldLanes.lanes.size === 2, { what: "the old lanes" });
      const warnings: string[] = [];
      await using next = await processes.start({
        log: { ...quiet, warn: (message) => void warnings.push(message) },
      });
      const nextLanes = running(next, "projection", 3);
      await waitFor(() => warnings.some((text) => text.includes('"projection" with 3 lanes waits')), {
        what: "the warning",
      });
      expect([oldLanes.lanes.size, nextLanes.lanes.size]).toEqual([2, 0]);
      await old.stop();
      await waitFor(() => nextLanes.lanes.size === 3, { what: "the new lanes" });
    },
  );

  fact(
    "a kernel that is stopped lets its lanes end, and gives them up when they do not",
    async (processes) => {
      const clock = virtualClock();
      const warnings: string[] = [];
      const log = { ...quiet, warn: (message: string) => void warnings.push(message) };
      const kernel = await processes.start({ clock, log });
      const obedient = running(kernel, "obedient", 2);
      const stubborn = kernel.lanes({ kind: "stubborn", count: 1, run: () => new Promise(() => {}) });
      await waitFor(
        async () => (await clock.advance(20), obedient.lanes.size === 2 && stubborn.held().length === 1),
        {
          what: "three lanes",
        },
      );
      const stopped = kernel.stop();
      await waitFor(() => obedient.lanes.size === 0, { what: "the lanes that obey" });
      await waitFor(async () => (await clock.advance(1000), warnings.length > 0), {
        what: "the end of the grace",
      });
      await stopped;
      expect(warnings).toEqual([expect.stringContaining('lane 0 of "stubborn" did not end')]);
      await using other = await processes.start();
      const next = running(other, "stubborn", 1);
      await waitFor(() => next.lanes.size === 1, { what: "the lane in another process" });
    },
  );

  fact("lanes that are stopped move to the other processes", async (processes) => {
    await using one = await processes.start();
    await using other = await processes.start();
    const first = running(one, "projection", 2);
    const second = running(other, "projection", 2);
    await waitFor(() => first.lanes.size === 1 && second.lanes.size === 1, { what: "one lane each" });
    await first.handle.stop();
    expect(first.lanes.size).toBe(0);
    await waitFor(() => second.lanes.size === 2, { what: "both lanes" });
    const again = running(one, "projection", 2);
    await waitFor(() => again.lanes.size === 1 && second.lanes.size === 1, { what: "one lane each again" });
  });

  fact("a process with runWork: false runs no lanes, and leaves them to the others", async (processes) => {
    await using web = await processes.start({
      config: { runWork: false, leaseMs: LEASE_MS, pollMaxMs: 20, pollMinMs: 1 },
    });
    await using worker = await processes.start();
    const none = running(web, "projection", 2);
    const all = running(worker, "projection", 2);
    await waitFor(() => all.lanes.size === 2, { what: "both lanes" });
    expect(none.lanes.size).toBe(0);
  });

  fact(
    "an owner of the same place that is gone is replaced at once, without waiting for the lease",
    async (processes) => {
      const alive = new Set([1, 2]);
      const at = (pid: number) => (): Place => ({
        id: "here",
        pid,
        started: "0",
        isGone: (other) => !alive.has(other),
      });
      const dead = await processes.start({ clock: hanging(), place: at(1) });
      await claimed(dead, "rebuild", "shelf");
      await using other = await processes.start({ place: at(2) });
      expect(await other.acquireLease("rebuild", "shelf")).toBeNull();
      alive.delete(1);
      await waitFor(() => other.acquireLease("rebuild", "shelf"), {
        what: "the lease of the process that is gone",
      });
    },
  );

  fact("an owner of another place is replaced only after its lease", async (processes) => {
    const at = (id: string, pid: number) => (): Place => ({ id, pid, started: "0", isGone: () => true });
    const far = await processes.start({ clock: hanging(), place: at("there", 1) });
    await claimed(far, "rebuild", "shelf");
    await using other = await processes.start({ place: at("here", 2) });
    const probe = await claimed(other, "rebuild", "probe");
    await probe.release();
    expect(await other.acquireLease("rebuild", "shelf")).toBeNull();
    await processes.time.advance(LEASE_MS);
    await claimed(other, "rebuild", "shelf");
  });
};
