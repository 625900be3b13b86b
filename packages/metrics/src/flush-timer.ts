/** Milliseconds between the first count and its flush: a killed worker loses at most the counts of this time. */
export const FLUSH_MS = 100;

/** Runs a task `FLUSH_MS` after `arm`; further calls of `arm` before that have no effect. */
export interface FlushTimer {
  readonly arm: () => void;
  start(run: () => Promise<unknown>): void;
  stop(): void;
}

export const flushTimer = (): FlushTimer => {
  let run: (() => Promise<unknown>) | null = null;
  let timer: NodeJS.Timeout | null = null;
  return {
    arm() {
      if (run === null || timer !== null) return;
      timer = setTimeout(() => {
        timer = null;
        run?.().catch(() => {}); // the task logs its own errors
      }, FLUSH_MS);
      timer.unref();
    },
    start(task) {
      run = task;
    },
    stop() {
      run = null;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
};
