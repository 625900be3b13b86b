import { type Clock, systemClock } from "../../runtime/clock.ts";
import type { Load } from "./messages.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** Milliseconds from a report to the announcement, to collect further reports. Shorter while a worker backs off, because it may have to accept again. */
const CALM_MS = 100;
const URGENT_MS = 5;

type Recipient = Pick<WorkerProcess, "send">;

/** Sends the mean loads to all workers, so that a worker with more than its share can leave new connections to the others. */
export interface MeanLoads {
  /** Updates a worker's load on one port; `null` when it no longer accepts there. */
  report(worker: Recipient, load: Load | null, listener?: string): void;
  /** Removes an exited worker. */
  remove(worker: Recipient): void;
}

/** Creates the mean loads. The number of messages is bounded: each worker gets the means of a port at most 200 times a second. */
export const createMeanLoads = (clock: Clock = systemClock): MeanLoads => {
  const ports = new Map<string | undefined, PortLoads>();
  return {
    report(worker, load, listener) {
      const port = ports.get(listener) ?? new PortLoads(listener, clock);
      ports.set(listener, port);
      if (load === null) port.remove(worker);
      else port.set(worker, load);
    },
    remove(worker) {
      for (const port of ports.values()) port.remove(worker);
    },
  };
};

/** The loads of one port. */
class PortLoads {
  private readonly listener: string | undefined;
  private readonly clock: Clock;
  private readonly loads = new Map<Recipient, Load>();
  private cancel = (): void => {};
  private dueMs = Infinity;

  constructor(listener: string | undefined, clock: Clock) {
    this.listener = listener;
    this.clock = clock;
  }

  set(worker: Recipient, load: Load): void {
    this.loads.set(worker, load);
    this.announceIn(load.backsOff ? URGENT_MS : CALM_MS);
  }

  remove(worker: Recipient): void {
    if (this.loads.delete(worker)) this.announceIn(CALM_MS);
  }

  private announceIn(delayMs: number): void {
    const dueMs = this.clock.now() + delayMs;
    if (dueMs >= this.dueMs) return;
    this.dueMs = dueMs;
    this.cancel();
    this.cancel = this.clock.after(delayMs, this.announce);
  }

  private readonly announce = (): void => {
    this.dueMs = Infinity;
    const { listener, loads } = this;
    const mean = (of: (load: Load) => number): number =>
      [...loads.values()].reduce((sum, load) => sum + of(load), 0) / loads.size;
    const means = { settled: mean(({ settled }) => settled), peak: mean(({ peak }) => peak) };
    for (const worker of loads.keys()) worker.send({ "@framework": "mean", listener, means });
  };
}
