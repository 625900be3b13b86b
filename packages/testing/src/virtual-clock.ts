import { setImmediate } from "node:timers"; // real also where a runner fakes the global ones
import { testingError } from "./errors.ts";
import { TimerQueue, type VirtualTimer } from "./timer-queue.ts";

/**
 * Time that passes only when a test says so. Every member works detached, so that `now: clock.now` fits an option.
 *
 * As in Node, a delay below 1 ms or above 2³¹ − 1 ms counts as 1 ms.
 */
export interface VirtualClock {
  /** Milliseconds; never goes back. */
  readonly now: () => number;
  /** The same moment as a date: `now()` milliseconds after 1970 began. */
  readonly date: () => Date;
  readonly setTimeout: (run: () => void, delayMs?: number) => VirtualTimer;
  readonly clearTimeout: (timer: VirtualTimer | undefined) => void;
  readonly setInterval: (run: () => void, delayMs?: number) => VirtualTimer;
  readonly clearInterval: (timer: VirtualTimer | undefined) => void;
  /** Resolves when the time has come; rejects with the signal's reason when that comes first. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  /**
   * Lets time pass: fires what falls due, by time and then by order of registration, timers that timers set included. Promise jobs run to their end
   * before the first timer and after each. Calls that come meanwhile wait their turn.
   *
   * @throws what a timer threw, time standing at it; TESTING_CLOCK_RUNAWAY after a million timers
   */
  readonly advance: (ms: number) => Promise<void>;
  /** Lets time pass until no timer waits. @throws what a timer threw; TESTING_CLOCK_RUNAWAY after 10,000 timers, since an interval never ends */
  readonly runAll: () => Promise<void>;
  /** Number of timers that wait. */
  readonly pending: number;
}

/** A clock that stands at `start` milliseconds. @throws TESTING_BAD_OPTION */
export const virtualClock = ({ start = 0 }: { readonly start?: number } = {}): VirtualClock => {
  if (!Number.isFinite(start))
    throw testingError("TESTING_BAD_OPTION", `start is a number of milliseconds, not ${start}`);
  const timers = new TimerQueue(start);
  let turn: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const mine = turn.then(work);
    turn = mine.catch(() => {}); // whoever asked for the turn gets its error; the next turn does not
    return mine;
  };
  return {
    now: () => timers.now,
    date: () => new Date(timers.now),
    setTimeout: (run, delayMs) => timers.add(run, delayMs, false),
    clearTimeout: (timer) => timers.clear(timer),
    setInterval: (run, delayMs) => timers.add(run, delayMs, true),
    clearInterval: (timer) => timers.clear(timer),
    sleep: (delayMs, signal) => sleepOn(timers, delayMs, signal),
    advance: (ms) => {
      if (ms >= 0 && ms < Infinity) return inTurn(() => fireUntil(timers, timers.now + ms, 1_000_000));
      return Promise.reject(testingError("TESTING_BAD_OPTION", `time passes by 0 ms or more, not by ${ms}`));
    },
    runAll: () => inTurn(() => fireUntil(timers, Infinity, 10_000)),
    get pending() {
      return timers.size;
    },
  };
};

const sleepOn = async (timers: TimerQueue, delayMs: number, signal?: AbortSignal): Promise<void> => {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = timers.add(resolve, delayMs, false);
  const abort = () => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await promise;
  } finally {
    signal?.removeEventListener("abort", abort);
    timers.clear(timer);
  }
};

const fireUntil = async (timers: TimerQueue, end: number, bound: number): Promise<void> => {
  await promiseJobs();
  for (let fired = 0; timers.hasDue(end); fired++) {
    if (fired === bound) {
      const message = `${bound} timers fired and ${timers.size} still wait; is one of them an interval?`;
      throw testingError("TESTING_CLOCK_RUNAWAY", message);
    }
    timers.fireNext();
    await promiseJobs();
  }
  timers.passTo(end);
};

/** Resolves when no promise job is left, however long their chains: the runtime runs all of them before the next immediate. */
const promiseJobs = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
