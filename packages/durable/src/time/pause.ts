import type { Clock } from "@framework/core/feature";

/** Resolves after `ms` milliseconds, or at once when the signal aborts. */
export const pause = async (clock: Clock, ms: number, signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const abort = (): void => resolve();
  signal.addEventListener("abort", abort, { once: true });
  await promise;
  cancel();
  signal.removeEventListener("abort", abort);
};
