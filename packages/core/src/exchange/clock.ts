/** Time and timers, so that tests can turn them by hand. */
export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Runs a task again and again; gives what stops it. */
  every(ms: number, task: () => void): () => void;
  /** Runs a task once; gives what calls it off. */
  after(ms: number, task: () => void): () => void;
}

/** The process's own clock; its timers keep no process alive. */
export const systemClock: Clock = {
  // Whole, since V8 keeps small integers in the objects that remember them, and any other number in a box of its own; and not from
  // `performance`, which takes a millisecond of the start to load.
  now: () => Math.trunc(process.uptime() * 1000),
  every(ms, task) {
    const timer = setInterval(task, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
  after(ms, task) {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
