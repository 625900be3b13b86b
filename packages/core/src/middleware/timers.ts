/** What sets timers: `globalThis`, or a clock that a test moves. */
export interface Timers {
  readonly setTimeout: (run: () => void, delayMs: number) => unknown;
  /** Takes what `setTimeout` of the same object returned. */
  readonly clearTimeout: (timer: never) => void;
}

/** Sets a timer; gives what clears it. */
export const after = (timers: Timers, delayMs: number, run: () => void): (() => void) => {
  const timer = timers.setTimeout(run, delayMs);
  return () => timers.clearTimeout(timer as never); // it is this object's own
};

/** Waits; resolves to false at once when the signal aborts first. */
export const wait = (timers: Timers, delayMs: number, signal: AbortSignal | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve(false);
      return;
    }
    const aborted = (): void => {
      clear();
      resolve(false);
    };
    const clear = after(timers, delayMs, () => {
      signal?.removeEventListener("abort", aborted);
      resolve(true);
    });
    signal?.addEventListener("abort", aborted, { once: true });
  });
