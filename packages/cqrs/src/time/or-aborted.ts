import type { Awaitable } from "@framework/core";
import { isPromise } from "@framework/core/feature";

/** Settles like `work`, unless the signal aborts first: then it rejects with the signal's reason, and the outcome of `work` is ignored. */
export const orAborted = async <T>(work: Awaitable<T>, signal: AbortSignal): Promise<T> => {
  if (!isPromise(work)) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
};

/** Resolves after `delayMs`. Rejects with the signal's reason if it aborts first. */
export const delay = async (
  clock: { readonly after: (delayMs: number, task: () => void) => () => void },
  delayMs: number,
  signal: AbortSignal,
): Promise<void> => {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(delayMs, resolve);
  try {
    await orAborted(promise, signal);
  } finally {
    cancel();
  }
};
