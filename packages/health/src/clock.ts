/** Where the feature gets its time from; tests pass one that they move themselves. */
export interface HealthClock {
  /** Milliseconds that never go back: durations are measured with it. */
  now(): number;
  /** Milliseconds since 1970 by the wall clock, for timestamps. */
  date(): number;
  /** Calls back once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

/** The process's own time. Its timers do not keep the process alive. */
export const systemClock: HealthClock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref?.();
    return () => clearTimeout(timer);
  },
};
