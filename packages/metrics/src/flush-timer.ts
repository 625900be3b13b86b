/** Milliseconds after which what was counted is sent, from the first count on: what a worker that is killed takes with it. */
export const FLUSH_MS = 100;

/** Runs something a moment after it was armed, however often that happens; idle otherwise. */
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
        run?.().catch(() => {}); // what goes wrong is logged where it happens
      }, FLUSH_MS);
      timer.unref();
    },
    start(given) {
      run = given;
    },
    stop() {
      run = null;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
};
