// Above 250 lines because the steps, the processes and the world that checks them form one model.
import assert from "node:assert/strict";
import { virtualClock, type VirtualClock } from "@framework/testing";
import type { Database } from "@framework/database";
import fc from "fast-check";
import { KernelLife } from "../base/kernel-life.ts";
import { TableSets } from "../base/table-sets.ts";
import { DurableConfig } from "../durable-config.ts";
import { createKernel } from "../kernel/kernel.ts";
import { type LeaseParts, leaseParts } from "../kernel/lease-parts.ts";
import { tableClock, type TableClock } from "../testing/table-clock.ts";
import { fairShare } from "./fair-share.ts";
import type { Lane } from "./lane.ts";

export const LEASE_MS = 15_000;
const HOUR_MS = 3_600_000;
const quiet = { info() {}, warn() {}, error() {} };

/** One step of a history; `process` is a slot. */
export type Step =
  | { readonly do: "poll" | "renew" | "takeOver" | "crash" | "finish"; readonly process: number }
  | { readonly do: "work" | "hold"; readonly process: number; readonly which: number }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "tick"; readonly process: number; readonly ms: number };

/** Histories of `processes` slots: groups of steps that happen at the same time. */
export const histories = (processes: number): fc.Arbitrary<Step[][]> => {
  const process = fc.nat(processes - 1);
  const which = fc.nat(1000);
  const advances = fc.oneof(fc.nat(LEASE_MS / 2), fc.constant(LEASE_MS));
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("poll" as const), process }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("renew" as const), process }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant("work" as const), process, which }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("hold" as const), process, which }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("finish" as const), process }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("takeOver" as const), process }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const), process }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: advances }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("tick" as const), process, ms: fc.nat(LEASE_MS) }),
    },
  );
  return fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 50 });
};

/** A transaction stays open on a lane whose lease expires, and another process claims all lanes that it can and works on them. */
export const heldBeyondTheLease: Step[][] = [
  [{ do: "poll", process: 0 }],
  [{ do: "poll", process: 0 }],
  [{ do: "hold", process: 0, which: 0 }],
  [{ do: "advance", ms: LEASE_MS }],
  [{ do: "poll", process: 1 }],
  [{ do: "poll", process: 1 }],
  ...[0, 1, 2, 3, 4].map((which): Step[] => [{ do: "work", process: 1, which }]),
];

/** A process whose loops the test drives. Some runs end only when the test allows it. */
class ModelProcess {
  readonly id: string;
  readonly db: Database;
  readonly parts: LeaseParts;
  readonly clock: VirtualClock;
  /** Every lane that it has owned, including lost ones. */
  readonly lanes: Lane[] = [];
  /** Functions that end the open transactions, each of which has checked a lane. */
  readonly openTransactions: (() => void)[] = [];
  isGone = false;
  private polling: Promise<unknown> = Promise.resolve();
  private renewing: Promise<unknown> = Promise.resolve();
  private letEnd = Promise.withResolvers<void>();

  constructor(world: World, id: number, db: Database, count: number) {
    this.id = `process ${id}`;
    this.clock = virtualClock({ start: ((id * 7919) % 3) * HOUR_MS - HOUR_MS });
    const isGone = (pid: number): boolean => world.dead.has(pid);
    const place =
      id % 2 === 0
        ? { id: "here", pid: id, started: "0", isGone }
        : { id: null, pid: id, started: null, isGone };
    this.db = db;
    this.parts = leaseParts({
      id: this.id,
      db,
      now: world.time.now,
      config: DurableConfig.of({ leaseMs: LEASE_MS }),
      clock: this.clock,
      random: () => 0.5,
      log: quiet,
      place: () => place,
      shared: null,
      host: null,
      life: new KernelLife(virtualClock, () => quiet),
      tables: new TableSets(),
    });
    this.parts.lanes.add({ kind: "model", count, run: (lane) => this.run(lane, id % 3 === 0) });
  }

  /** As in a real process, polls are sequential and renewals are sequential, but a poll and a renewal may overlap. */
  pollOnce(): Promise<unknown> {
    return (this.polling = this.polling.then(() => this.parts.lanes.pollOnce()));
  }

  renew(): Promise<unknown> {
    const { signal } = new AbortController();
    const { membership, leases } = this.parts;
    return (this.renewing = this.renewing
      .then(() => membership.renew(signal))
      .then(() => leases.renew(signal)));
  }

  /** Ends runs that ignored their signal. */
  finish(): void {
    this.letEnd.resolve();
    this.letEnd = Promise.withResolvers();
  }

  private async run(lane: Lane, isStubborn: boolean): Promise<void> {
    this.lanes.push(lane);
    await new Promise<void>((resolve) =>
      lane.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    if (isStubborn) await this.letEnd.promise;
  }
}

/** Options of a world. */
export interface WorldOptions {
  /** Opens the database, as another process would. */
  open(): Database;
  readonly processes: number;
  /** Number of lanes. */
  readonly count: number;
  /** Whether a transaction may stay open while others write. */
  readonly canHold: boolean;
}

/** Rounds of all processes until shares are verified. A released lane is free only when the server has written the release, which can take more rounds. */
const MIN_ROUNDS = 8;
const MAX_ROUNDS = 50;

/** Processes on one database. Checks the invariants that must hold at any time. */
export class World {
  readonly time: TableClock;
  /** Ids of killed processes. */
  readonly dead: Set<number> = new Set();
  /** Number of accepted writes. */
  writes = 0;
  private readonly open: () => Database;
  private readonly count: number;
  private readonly canHold: boolean;
  private readonly slots: ModelProcess[] = [];
  private started = 0;
  /** By lane: owners whose transactions have passed the check and have not ended. */
  private readonly active = new Map<number, Map<string, number>>();
  /** By lane: the hold that was accepted last, which has the highest fence. */
  private readonly last = new Map<number, Lane>();

  private constructor(options: WorldOptions, time: TableClock) {
    this.open = options.open;
    this.count = options.count;
    this.canHold = options.canHold;
    this.time = time;
    for (let slot = 0; slot < options.processes; slot++) this.slots.push(this.newProcess());
  }

  static async create(options: WorldOptions): Promise<World> {
    const db = options.open();
    await createKernel(db).migrate();
    return new World(options, await tableClock(db));
  }

  /** Runs the steps of one group concurrently. */
  async runGroup(group: readonly Step[]): Promise<void> {
    await Promise.all(group.map((step) => this.step(step)));
    await settle();
  }

  /** Waits for all running steps, and verifies that running processes reach fair shares. */
  async reachFairShares(): Promise<void> {
    await this.endTransactions();
    await this.time.advance(LEASE_MS + 1);
    for (let round = 0; round < MIN_ROUNDS || (round < MAX_ROUNDS && !this.isFair()); round++) {
      for (const process of this.slots) {
        process.finish();
        await process.renew();
        await process.pollOnce();
        await settle();
      }
    }
    const allLanes = Array.from({ length: this.count }, (_, lane) => lane);
    const held = this.slots.map((process) => this.heldBy(process));
    assert.deepEqual(ascending(held.flat()), allLanes);
    assert.ok(this.isFair(), "the shares are not fair");
  }

  /** Whether each running process holds its fair share of lanes. */
  private isFair(): boolean {
    const names = this.slots.map(({ id }) => id);
    const shares = names.map((name) => fairShare(names, name, this.count));
    const held = this.slots.map((process) => this.heldBy(process).length);
    return ascending(held).join() === ascending(shares).join();
  }

  /** Ends the transactions that are still open. */
  async endTransactions(): Promise<void> {
    for (const { openTransactions } of this.slots) for (const end of openTransactions.splice(0)) end();
    await settle();
  }

  /** Lanes that a process owns now. */
  heldBy({ lanes }: ModelProcess): readonly number[] {
    return lanes.filter(({ signal }) => !signal.aborted).map(({ lane }) => lane);
  }

  process(slot: number): ModelProcess {
    return this.slots[slot % this.slots.length] as ModelProcess;
  }

  /** Kills a process: its transactions are rolled back, and another process takes its slot. */
  crash(slot: number): void {
    const process = this.process(slot);
    this.dead.add(Number(process.id.split(" ")[1]));
    process.isGone = true;
    for (const end of process.openTransactions.splice(0)) end();
    process.lanes.length = 0;
    this.slots[slot % this.slots.length] = this.newProcess();
  }

  private async step(step: Step): Promise<void> {
    if (step.do === "advance") return await this.time.advance(step.ms);
    const process = this.process(step.process);
    if (step.do === "poll") await process.pollOnce();
    else if (step.do === "renew") await process.renew();
    else if (step.do === "takeOver") await process.parts.owners.takeOver();
    else if (step.do === "crash") this.crash(step.process);
    else if (step.do === "finish") process.finish();
    else if (step.do === "tick") await process.clock.advance(step.ms);
    else if ("which" in step) await this.work(process, step.which, step.do === "hold" && this.canHold);
  }

  /** Runs a transaction that relies on a lane, perhaps on a lost one. With `staysOpen`, it stays open after its check. */
  private async work(process: ModelProcess, which: number, staysOpen: boolean): Promise<void> {
    const lane = process.lanes[which % process.lanes.length];
    if (lane === undefined || process.openTransactions.length > 2) return;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const transaction = process.db.transaction(async (tx) => {
      await lane.check(tx);
      this.enter(lane, process.id);
      enter();
      if (staysOpen && !process.isGone) {
        process.openTransactions.push(end);
        await ended;
      }
      if (process.isGone) this.rollBackKilled(lane, process.id);
      await tx.fetchValue("SELECT 1");
      this.leave(lane, process.id);
    });
    const refused = transaction.catch((error: Error & { code?: string }) => {
      if (error.code !== "DURABLE_LEASE_LOST" && !(error instanceof ProcessKilled)) throw error;
    });
    await (staysOpen ? Promise.race([entered, refused]) : refused);
  }

  private enter(hold: Lane, owner: string): void {
    const { lane, fence } = hold;
    const active = this.active.get(lane) ?? new Map<string, number>();
    this.active.set(lane, active.set(owner, (active.get(owner) ?? 0) + 1));
    assert.deepEqual([...active.keys()], [owner], "two owners passed the check");
    const last = this.last.get(lane) ?? hold;
    assert.ok(fence > last.fence || hold === last, "a stale hold was accepted");
    this.last.set(lane, hold);
    this.writes++;
  }

  /** Rolls back the transaction of a killed process. */
  private rollBackKilled(lane: Lane, owner: string): never {
    this.leave(lane, owner);
    throw new ProcessKilled();
  }

  private leave({ lane }: Lane, owner: string): void {
    const active = this.active.get(lane);
    const left = (active?.get(owner) ?? 0) - 1;
    if (left > 0) active?.set(owner, left);
    else active?.delete(owner);
  }

  private newProcess(): ModelProcess {
    return new ModelProcess(this, ++this.started, this.open(), this.count);
  }
}

class ProcessKilled extends Error {}

/** Runs pending microtasks and socket callbacks. */
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const ascending = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);
