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
  now: () => Number(process.hrtime.bigint()) / 1e6, // `performance` takes a millisecond of the start to load
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
