import { markHandled } from "@framework/core/feature";

/** Returns whether a promise settles within `ms`. */
export const settlesWithin = async (promise: Promise<unknown>, ms: number): Promise<boolean> => {
  const settled = promise.then(
    () => true,
    () => true,
  );
  if (ms === Infinity) return await settled;
  const { promise: timeout, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, ms, false);
  try {
    return await Promise.race([settled, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

/** Settles like a promise (or other thenable or value), or rejects with the signal's reason if the signal aborts first. */
export const orAborted = async <T>(settling: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return await settling;
  const promise = markHandled(Promise.resolve(settling)); // it may still reject after the abort
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
};
