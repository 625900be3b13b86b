import type { Clock } from "@framework/core/feature";

/** Resolves after a time in milliseconds, or when the signal aborts. */
export const pause = async (clock: Clock, ms: number, signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const end = (): void => resolve();
  signal.addEventListener("abort", end, { once: true });
  await promise;
  cancel();
  signal.removeEventListener("abort", end);
};
