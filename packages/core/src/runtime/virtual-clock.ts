import { FrameworkError } from "../errors/framework-error.ts";
import type { Clock } from "./clock.ts";
import { TimerQueue } from "./timer-queue.ts";

/**
 * A clock whose time passes only when a test advances it.
 *
 * As in Node, a delay below 1 ms or above 2³¹ − 1 ms counts as 1 ms. `now` and `date` are equal.
 */
export interface VirtualClock extends Clock {
  /** Resolves after `delayMs`; rejects with the signal's reason if it aborts first. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  /**
   * Advances the time and fires the timers that fall due, including timers set by other timers, by time and then by order of registration. Promise jobs are
   * drained before the first timer and after each. Overlapping calls run sequentially. `advance(0)` drains promise jobs; a timer of 0 ms is due after 1 ms.
   *
   * @throws a timer's error, with the time stopped at it; CORE_CLOCK_RUNAWAY after a million timers; CORE_BAD_CLOCK for an invalid `ms`
   */
  readonly advance: (ms: number) => Promise<void>;
  /** Advances the time until no timer is pending. @throws a timer's error; CORE_CLOCK_RUNAWAY after 10,000 timers, since an interval never ends */
  readonly runAll: () => Promise<void>;
  /** Number of pending timers. */
  readonly pending: number;
}

/** Creates a clock that starts at `start` milliseconds. @throws CORE_BAD_CLOCK */
export const virtualClock = ({ start = 0 }: { readonly start?: number } = {}): VirtualClock => {
  if (!Number.isFinite(start)) throw badClock(`start must be a number of milliseconds, not ${start}`);
  const timers = new TimerQueue(start);
  let last: Promise<void> = Promise.resolve();
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    const mine = last.then(work);
    last = mine.catch(() => {}); // the caller gets the error; the next call does not
    return mine;
  };
  return {
    now: () => timers.now,
    date: () => timers.now,
    after: (delayMs, task) => timers.add(task, delayMs, false),
    every: (periodMs, task) => timers.add(task, periodMs, true),
    sleep: (delayMs, signal) => sleepOn(timers, delayMs, signal),
    advance: (ms) => {
      if (ms >= 0 && ms < Infinity) return enqueue(() => fireUntil(timers, timers.now + ms, 1_000_000));
      return Promise.reject(badClock(`advance takes 0 ms or more, not ${ms}`));
    },
    runAll: () => enqueue(() => fireUntil(timers, Infinity, 10_000)),
    get pending() {
      return timers.size;
    },
  };
};

const sleepOn = async (timers: TimerQueue, delayMs: number, signal?: AbortSignal): Promise<void> => {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = timers.add(resolve, delayMs, false);
  const abort = () => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await promise;
  } finally {
    signal?.removeEventListener("abort", abort);
    cancel();
  }
};

const fireUntil = async (timers: TimerQueue, end: number, bound: number): Promise<void> => {
  await promiseJobs();
  for (let fired = 0; timers.hasDue(end); fired++) {
    if (fired === bound) {
      const message = `${bound} timers fired and ${timers.size} are pending; is one of them an interval?`;
      throw new FrameworkError("CORE_CLOCK_RUNAWAY", message);
    }
    timers.fireNext();
    await promiseJobs();
  }
  timers.advanceTo(end);
};

/** Captured at import, so it stays real when a test runner fakes the global timers. */
const immediate: (task: () => void) => unknown =
  "setImmediate" in globalThis ? globalThis.setImmediate : (task) => setTimeout(task, 0);

/** Resolves when all promise jobs have run: the runtime drains them before the next immediate. */
const promiseJobs = (): Promise<void> => new Promise((resolve) => void immediate(resolve));

const badClock = (message: string): FrameworkError => new FrameworkError("CORE_BAD_CLOCK", message);
