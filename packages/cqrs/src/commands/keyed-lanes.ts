import { tooBusy } from "../failures/command-errors.ts";
import { orAborted } from "../time/or-aborted.ts";

/** Runs work of the same key one after the other, in the order of the calls, within this process. */
export class KeyedLanes {
  private readonly maxWaiting: number;
  /** The end of the last work of each key, and how many wait; empty lanes are removed. */
  private readonly lanes = new Map<string, { last: Promise<void>; waiting: number }>();

  constructor(maxWaiting: number) {
    this.maxWaiting = maxWaiting;
  }

  /** Number of keys in use. */
  get size(): number {
    return this.lanes.size;
  }

  /** @throws the signal's reason when it aborts before the work's turn; HttpError 503 (CQRS_BUSY) when too many wait */
  async run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lane = this.lanes.get(key) ?? { last: Promise.resolve(), waiting: 0 };
    if (lane.waiting >= this.maxWaiting) throw tooBusy(`${lane.waiting} commands wait for one key`);
    this.lanes.set(key, lane);
    lane.waiting++;
    const before = lane.last;
    const { promise, resolve } = Promise.withResolvers<void>();
    lane.last = before.then(() => promise); // a caller that gave up does not let the next one pass its predecessor
    try {
      await orAborted(before, signal);
      signal.throwIfAborted();
      return await work();
    } finally {
      resolve();
      lane.waiting--;
      if (lane.waiting === 0) this.lanes.delete(key);
    }
  }
}
