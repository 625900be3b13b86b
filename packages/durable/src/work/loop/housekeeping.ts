import type { KernelBase } from "../../base/kernel-base.ts";
import type { QueueDefinition } from "../queue/queue-options.ts";
import type { KeepRule } from "../table/stopping.ts";
import type { QueueWorker } from "./queue-worker.ts";
import type { WorkStore } from "../table/work-store.ts";

/** Dependencies of `Housekeeping`. */
export interface HousekeepingParts {
  readonly base: KernelBase;
  readonly store: () => WorkStore;
  readonly workers: () => Iterable<QueueWorker>;
  /** Called with a queue that has ready items. */
  readonly onReady: (queue: string) => void;
}

/** Mean pause between two rounds. */
const PAUSE_MS = 10_000;

/** Maximum number of items per statement that removes or reschedules, and of such statements per round. */
const BATCH = 1000;
const MAX_BATCHES = 100;

/** Number of rounds between two searches for stranded items. */
const HEAL_EVERY = 6;

/** Ready items of a queue are counted up to this number. */
const MAX_COUNTED = 10_000;

/** Removes finished items after their retention, repairs items stranded by killed processes and wrong clocks, and counts ready items for metrics. */
export class Housekeeping {
  private readonly parts: HousekeepingParts;
  private cancel: () => void = () => {};
  private running: Promise<void> = Promise.resolve();
  private hasEnded = false;
  private round = 0;

  constructor(parts: HousekeepingParts) {
    this.parts = parts;
  }

  /** Starts the first round at once. */
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
      base.log.warn(
        "durable: finished work could not be removed, or stranded work not repaired; the next round tries again",
        { error },
      );
    }
    if (base.host !== null) await this.count();
    if (this.hasEnded) return;
    const pauseMs = PAUSE_MS * (0.5 + base.random()); // jitter, for processes that started together
    this.cancel = base.clock.after(pauseMs, () => {
      this.running = this.run();
    });
  }

  private async heal(): Promise<void> {
    const { store, onReady } = this.parts;
    for (const queue of await store().keyOrder.heal()) onReady(queue);
    await store().leasing.shorten();
    for (let batch = 0; batch < MAX_BATCHES && !this.hasEnded; batch++)
      if ((await store().leasing.replan()).length < BATCH) return;
  }

  private async prune(): Promise<void> {
    const { store, workers } = this.parts;
    const rules = Array.from(workers(), ({ definition }) => rulesOf(definition)).flat();
    for (let batch = 0; batch < MAX_BATCHES && !this.hasEnded; batch++)
      if ((await store().stopping.prune(rules, BATCH)) < BATCH) return;
  }

  /** Counts ready items for metrics, whose callbacks are synchronous. */
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

/** Rounds up, because PostgreSQL requires an integer and `16.1 * 1000` is not one. */
const toMs = (secs: number): number => Math.ceil(secs * 1000);
