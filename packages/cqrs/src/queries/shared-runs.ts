import type { Clock } from "@framework/core/feature";
import { orAborted } from "../time/or-aborted.ts";

/** One run of a query's handler, and how many calls wait for it. */
interface SharedRun {
  readonly result: Promise<unknown>;
  readonly startedMs: number;
  readonly controller: AbortController;
  waiting: number;
  isOver: boolean;
}

/** Options of one call. */
export interface ShareOptions {
  /** Gives this call up. */
  readonly signal: AbortSignal;
  /** A run that is older is not joined, so that one that hangs does not catch later calls. */
  readonly maxAgeMs: number;
}

/**
 * Single flight: calls with the same key share one run while it runs. The run goes on as long as any call waits for it. Bounded by the calls that wait.
 */
export class SharedRuns {
  private readonly clock: Clock;
  private readonly joined: () => void;
  private readonly runs = new Map<string, SharedRun>();

  /** @param joined called for each call that shares the run of another */
  constructor(clock: Clock, joined: () => void) {
    this.clock = clock;
    this.joined = joined;
  }

  /** Number of keys with a run that calls may join. */
  get size(): number {
    return this.runs.size;
  }

  /** Lets no later call join a run that has begun: called after a change, which such a run may not have seen. */
  close(): void {
    this.runs.clear();
  }

  /** @throws the signal's reason, or what `work` throws */
  async run<T>(
    key: string,
    { signal, maxAgeMs }: ShareOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const known = this.runs.get(key);
    const isFresh = known !== undefined && this.clock.now() - known.startedMs < maxAgeMs;
    if (isFresh) this.joined();
    const run = isFresh ? known : this.start(key, work);
    run.waiting++;
    try {
      return (await orAborted(run.result, signal)) as T; // a key belongs to one query
    } finally {
      run.waiting--;
      if (run.waiting === 0) this.end(key, run);
    }
  }

  private start(key: string, work: (signal: AbortSignal) => Promise<unknown>): SharedRun {
    const controller = new AbortController();
    const run: SharedRun = {
      result: work(controller.signal),
      startedMs: this.clock.now(),
      controller,
      waiting: 0,
      isOver: false,
    };
    this.runs.set(key, run);
    const over = (): void => {
      run.isOver = true;
      this.forget(key, run);
    };
    run.result.then(over, over);
    return run;
  }

  /** Ends a run that no call waits for, unless it is complete. */
  private end(key: string, run: SharedRun): void {
    if (run.isOver) return;
    this.forget(key, run);
    run.controller.abort(new DOMException("No call waits for the result any more", "AbortError"));
  }

  private forget(key: string, run: SharedRun): void {
    if (this.runs.get(key) === run) this.runs.delete(key);
  }
}
