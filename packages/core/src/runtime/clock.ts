/** The maximum delay of JavaScript timers, in milliseconds. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

/** Time and timers. Code that waits or measures takes a clock, so tests can pass a virtual clock. Members work detached: `now: clock.now`. */
export interface Clock {
  /** Monotonic time in milliseconds, for durations. */
  readonly now: () => number;
  /** Wall-clock time in Unix milliseconds; may jump. */
  readonly date: () => number;
  /** Runs `task` once after `delayMs` milliseconds, at most `MAX_TIMEOUT_MS` (24 days). Returns a function that cancels it. */
  readonly after: (delayMs: number, task: () => void) => () => void;
  /** Runs `task` every `periodMs` milliseconds, at least every `MAX_TIMEOUT_MS`. Returns a function that stops it. */
  readonly every: (periodMs: number, task: () => void) => () => void;
}

/** The runtime's clock, in whole milliseconds. On Node, Bun and Deno its timers do not keep the process alive. */
export const systemClock: Clock = {
  // Whole numbers: V8 stores small integers in place and allocates other numbers. `process.uptime` where available: loading `performance`
  // takes a millisecond of the start.
  now: () => Math.trunc(typeof process === "undefined" ? performance.now() : process.uptime() * 1000),
  date: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, timerMs(delayMs));
    unref(timer);
    return () => clearTimeout(timer);
  },
  every(periodMs, task) {
    const timer = setInterval(task, timerMs(periodMs));
    unref(timer);
    return () => clearInterval(timer);
  },
};

/** Limits a delay to the maximum: a timer with a longer delay would fire after one millisecond. */
const timerMs = (ms: number): number => (ms > MAX_TIMEOUT_MS ? MAX_TIMEOUT_MS : ms);

/** Lets the process end while a timer is pending. In browsers and edge runtimes, timers are numbers and need no call. */
const unref = (timer: unknown): void => {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") {
    timer.unref();
  }
};

/** Whether a value has the members of a `Clock`. */
export const isClock = (value: unknown): value is Clock =>
  typeof value === "object" &&
  value !== null &&
  ["now", "date", "after", "every"].every(
    (member) => typeof (value as Readonly<Record<string, unknown>>)[member] === "function",
  );
