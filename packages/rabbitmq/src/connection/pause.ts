import type { Clock } from "@framework/core/feature";

/** Waits, or until the signal aborts. */
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

/** Waits for a promise, or until the signal aborts. @throws the promise's error; the signal's reason */
export const untilAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const end = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", end);
    promise.catch(() => {}); // the caller has left; the next one asks again
  }
};
