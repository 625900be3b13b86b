import type { Clock } from "@framework/core/feature";
import { orAborted } from "../time/or-aborted.ts";

/** One run of a query's handler, and the number of calls that wait for it. */
interface SharedRun {
  readonly result: Promise<unknown>;
  readonly startedMs: number;
  readonly controller: AbortController;
  waiting: number;
  hasEnded: boolean;
}

/** Options of one call. */
export interface ShareOptions {
  /** Cancels this call. */
  readonly signal: AbortSignal;
  /** Maximum age of a run to join, so that later calls do not join a run that hangs. */
  readonly maxAgeMs: number;
}

/**
 * Single flight: concurrent calls with the same key share one run, which is aborted when no call waits for it. Bounded by the number of waiting calls.
 */
export class SharedRuns {
  private readonly clock: Clock;
  private readonly onJoined: () => void;
  private readonly runs = new Map<string, SharedRun>();

  /** @param onJoined called for each call that shares the run of another call */
  constructor(clock: Clock, onJoined: () => void) {
    this.clock = clock;
    this.onJoined = onJoined;
  }

  /** Number of runs that calls may join. */
  get size(): number {
    return this.runs.size;
  }

  /** Prevents later calls from joining the current runs. Call it after a change: these runs may have started before it. */
  close(): void {
    this.runs.clear();
  }

  /** Joins a run with the key, or starts one. @throws the signal's reason, or errors of `work` */
  async run<T>(
    key: string,
    { signal, maxAgeMs }: ShareOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const known = this.runs.get(key);
    const isFresh = known !== undefined && this.clock.now() - known.startedMs < maxAgeMs;
    if (isFresh) this.onJoined();
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
      hasEnded: false,
    };
    this.runs.set(key, run);
    const onEnd = (): void => {
      run.hasEnded = true;
      this.remove(key, run);
    };
    run.result.then(onEnd, onEnd);
    return run;
  }

  /** Aborts a run that no call waits for, unless it is complete. */
  private end(key: string, run: SharedRun): void {
    if (run.hasEnded) return;
    this.remove(key, run);
    run.controller.abort(new DOMException("No call waits for the result any more", "AbortError"));
  }

  private remove(key: string, run: SharedRun): void {
    if (this.runs.get(key) === run) this.runs.delete(key);
  }
}
