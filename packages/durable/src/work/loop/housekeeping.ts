import type { KernelBase } from "../../base/kernel-base.ts";
import type { QueueDefinition } from "../queue/queue-options.ts";
import type { KeepRule } from "../table/stopping.ts";
import type { QueueWorker } from "./queue-worker.ts";
import type { WorkStore } from "../table/work-store.ts";

/** What the housekeeping needs. */
export interface HousekeepingParts {
  readonly base: KernelBase;
  readonly store: () => WorkStore;
  readonly workers: () => Iterable<QueueWorker>;
  /** Called with a queue that has ready items. */
  readonly hint: (queue: string) => void;
}

/** Mean pause between two rounds. */
const PAUSE_MS = 10_000;

/** Items that one statement removes or plans anew, and most statements of one round. */
const BATCH = 1000;
const MAX_BATCHES = 100;

/** Rounds from one search for items that nothing brings back to the next. */
const HEAL_EVERY = 6;

/** Ready items of a queue that are counted. */
const MAX_COUNTED = 10_000;

/** Removes finished items that were kept long enough, heals what killed processes and wrong clocks left behind, and counts for metrics. */
export class Housekeeping {
  private readonly parts: HousekeepingParts;
  private cancel: () => void = () => {};
  private running: Promise<void> = Promise.resolve();
  private hasEnded = false;
  private round = 0;

  constructor(parts: HousekeepingParts) {
    this.parts = parts;
  }

  /** The first round, now, and others later. */
  begin(): void {
    this.running = this.run();
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    this.cancel();
    await this.running;
  }

  private async run(): Promise<void> {
    const { base } = this.parts;
    try {
      if (this.round++ % HEAL_EVERY === 0) await this.heal();
      await this.prune();
    } catch (error) {
      base.log.warn("durable: finished work could not be removed; the next round tries again", { error });
    }
    if (base.host !== null) await this.count();
    if (this.hasEnded) return;
    const pauseMs = PAUSE_MS * (0.5 + base.random()); // processes that started together spread out
    this.cancel = base.clock.after(pauseMs, () => {
      this.running = this.run();
    });
  }

  private async heal(): Promise<void> {
    const { store, hint } = this.parts;
    for (const queue of await store().keyOrder.heal()) hint(queue);
    for (let batch = 0; batch < MAX_BATCHES && !this.hasEnded; batch++)
      if ((await store().leasing.replan()).length < BATCH) return;
  }

  private async prune(): Promise<void> {
    const { store, workers } = this.parts;
    const rules = Array.from(workers(), ({ definition }) => rulesOf(definition)).flat();
    for (let batch = 0; batch < MAX_BATCHES && !this.hasEnded; batch++)
      if ((await store().stopping.prune(rules, BATCH)) < BATCH) return;
  }

  /** For metrics, which cannot wait for the database. */
  private async count(): Promise<void> {
    const { base, store, workers } = this.parts;
    try {
      for (const worker of workers()) {
        const { counts, oldestReadyMs } = await store().reading.count(worker.definition.name, MAX_COUNTED);
        worker.backlog = { ready: counts["ready"] ?? 0, oldestReadyMs: oldestReadyMs ?? 0 };
      }
    } catch (error) {
      base.log.warn("durable: ready work could not be counted; the next round tries again", { error });
    }
  }
}

const rulesOf = ({ name: queue, keepSecs, keepFailedSecs }: QueueDefinition): readonly KeepRule[] => [
  { queue, state: "done", keepMs: toMs(keepSecs) },
  { queue, state: "cancelled", keepMs: toMs(keepSecs) },
  { queue, state: "failed", keepMs: toMs(keepFailedSecs) },
  { queue, state: "parked", keepMs: toMs(keepFailedSecs) },
];

/** A whole number, as PostgreSQL wants it: `16.1 * 1000` is none. */
const toMs = (secs: number): number => Math.ceil(secs * 1000);
