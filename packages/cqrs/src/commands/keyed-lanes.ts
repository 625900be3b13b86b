import { tooBusy } from "../failures/command-errors.ts";
import { orAborted } from "../time/or-aborted.ts";

/** Serialises tasks with the same key in this process, in the order of the calls. */
export class KeyedLanes {
  private readonly maxPending: number;
  /** Per key: the promise of the last task, and the number of running and waiting tasks. Removed at 0. */
  private readonly lanes = new Map<string, { last: Promise<void>; pending: number }>();

  constructor(maxPending: number) {
    this.maxPending = maxPending;
  }

  /** Number of keys in use. */
  get size(): number {
    return this.lanes.size;
  }

  /**
   * Runs a task after earlier ones with the same key.
   *
   * @throws errors of the task; the signal's reason if it aborts before the task starts; HttpError 503 (CQRS_BUSY) if too many are pending
   */
  async run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lane = this.lanes.get(key) ?? { last: Promise.resolve(), pending: 0 };
    if (lane.pending >= this.maxPending) throw tooBusy(`${lane.pending} commands are pending for one key`);
    this.lanes.set(key, lane);
    lane.pending++;
    const before = lane.last;
    const { promise, resolve } = Promise.withResolvers<void>();
    lane.last = before.then(() => promise); // if this task gives up, the next one still waits for the earlier tasks
    try {
      await orAborted(before, signal);
      signal.throwIfAborted();
      return await work();
    } finally {
      resolve();
      lane.pending--;
      if (lane.pending === 0) this.lanes.delete(key);
    }
  }
}
