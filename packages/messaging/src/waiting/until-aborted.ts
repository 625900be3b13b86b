/**
 * Returns what a promise resolves with, unless the signal aborts before. A promise that is left behind rejects without effect.
 *
 * @throws the promise's error; the signal's reason
 */
export const untilAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  promise.catch(() => {}); // the caller may have left
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const end = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
};
