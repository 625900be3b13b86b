// Shared by the lease and lane tests: processes on one database.
import type { Logger } from "@framework/core";
import type { Database } from "@framework/database";
import { virtualClock, type VirtualClock } from "@framework/testing";
import type { test as jestTest } from "@jest/globals";
import {
  createKernel,
  type HeldLease,
  type KernelOptions,
  type Lane,
  type Lanes,
  type LanesOptions,
  type OwnKernel,
} from "./feature.ts";
import type { Place } from "./place/place.ts";
import { tableClock, type TableClock } from "./testing/table-clock.ts";
import type { TestDatabase } from "./testing/open-databases.test-kit.ts";

/** Duration of the leases of every process. */
export const LEASE_MS = 15_000;

/** A logger that writes nothing. */
export const quiet: Pick<Logger, "info" | "warn" | "error"> = { info() {}, warn() {}, error() {} };

/** A place without other processes: lanes are taken over only when their leases expire. */
const nowhere = (): Place => ({ id: null, pid: 1, started: null, isGone: () => false });

/** Processes on one database, whose time only the test advances. */
export class Processes {
  readonly time: TableClock;
  /** The created kernels. */
  readonly kernels: OwnKernel[] = [];
  private readonly database: TestDatabase;

  constructor(database: TestDatabase, time: TableClock) {
    this.database = database;
    this.time = time;
  }

  static async on(database: TestDatabase): Promise<Processes> {
    return new Processes(database, await tableClock(database.open()));
  }

  /** Starts a process with its own connection. */
  async start(options: KernelOptions = {}): Promise<OwnKernel> {
    const kernel = this.create(options);
    await kernel.start();
    return kernel;
  }

  create(options: KernelOptions = {}): OwnKernel {
    return this.createOn(this.database.open(), options);
  }

  /** Creates a process that hangs after its start: its clock is stopped, and it gets no notifications, which would make it renew its leases. */
  createHanging(): OwnKernel {
    const listen = { value: () => new Promise<never>(() => {}) };
    return this.createOn(Object.create(this.database.open(), { listen }), { clock: virtualClock() });
  }

  private createOn(db: Database, options: KernelOptions): OwnKernel {
    const { now } = this.time;
    const config = { leaseMs: LEASE_MS, pollMinMs: 1, pollMaxMs: 20 };
    const kernel = createKernel(db, { now, config, log: quiet, place: nowhere, ...options });
    this.kernels.push(kernel);
    return kernel;
  }
}

/** Runs lanes and records which are running, in one process. */
export const runLanes = (
  kernel: OwnKernel,
  kind: string,
  count: number,
  options: Pick<LanesOptions, "endsWithStop"> = {},
): { readonly lanes: Map<number, Lane>; readonly handle: Lanes } => {
  const lanes = new Map<number, Lane>();
  const handle = kernel.lanes({
    ...options,
    kind,
    count,
    async run(lane) {
      lanes.set(lane.lane, lane);
      await waitForAbort(lane.signal);
      lanes.delete(lane.lane);
    },
  });
  return { lanes, handle };
};

/** Resolves when a signal aborts. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Acquires a lease that must be free. */
export const acquireFree = async (kernel: OwnKernel, kind: string, name: string): Promise<HeldLease> => {
  const lease = await kernel.acquireLease(kind, name);
  if (lease === null) throw new Error("the lease is not free");
  return lease;
};

/** A clock whose timers never fire, for a process that hangs. */
export const stoppedClock = (): VirtualClock => virtualClock();

/** Declares one test, which gets processes on a separate database. */
export type Fact = (name: string, run: (processes: Processes) => Promise<void>) => void;

/** Returns a function that declares tests, each on its own database. */
export const factsOn =
  (test: typeof jestTest, make: () => Promise<TestDatabase>): Fact =>
  (name, run) =>
    test(
      name,
      async () => {
        await using database = await make();
        await run(await Processes.on(database));
      },
      120_000,
    );
