import type { Clock } from "../runtime/clock.ts";

/** Timers that keep the process alive: a program that awaits a call must not end while the call waits. */
export const keepAliveTimers: Pick<Clock, "after"> = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Waits for `delayMs`. Resolves to true after the delay, or to false as soon as the signal aborts. */
export const wait = (
  { after }: Pick<Clock, "after">,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve(false);
      return;
    }
    const onAbort = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve(true);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
