/** Time and timers. Code that waits or measures takes one, so that tests can pass a virtual clock. Members work detached: `now: clock.now`. */
export interface Clock {
  /** Milliseconds of a monotonic clock: durations are differences of it. */
  readonly now: () => number;
  /** Milliseconds since 1970 by the wall clock, which may be set back. */
  readonly date: () => number;
  /** Runs `task` once after `delayMs` milliseconds; returns what cancels it. */
  readonly after: (delayMs: number, task: () => void) => () => void;
  /** Runs `task` every `periodMs` milliseconds; returns what stops it. */
  readonly every: (periodMs: number, task: () => void) => () => void;
}

/** The runtime's own clock, in whole milliseconds. Its timers do not keep the process alive, where the runtime allows that (Node, Bun, Deno). */
export const systemClock: Clock = {
  // Whole: V8 keeps small integers inside the objects that remember them, and allocates any other number. Not from `performance` where
  // there is a process: loading that takes a millisecond of the start.
  now: () => Math.trunc(typeof process === "undefined" ? performance.now() : process.uptime() * 1000),
  date: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    unref(timer);
    return () => clearTimeout(timer);
  },
  every(periodMs, task) {
    const timer = setInterval(task, periodMs);
    unref(timer);
    return () => clearInterval(timer);
  },
};

/** Browsers and edge runtimes identify timers by numbers. */
const unref = (timer: unknown): void => {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") {
    timer.unref();
  }
};

/** Whether a value is a `Clock`, as far as its members show. */
export const isClock = (value: unknown): value is Clock =>
  typeof value === "object" &&
  value !== null &&
  ["now", "date", "after", "every"].every(
    (member) => typeof (value as Readonly<Record<string, unknown>>)[member] === "function",
  );
