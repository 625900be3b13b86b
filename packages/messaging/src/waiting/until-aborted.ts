/**
 * Resolves like a promise unless the signal aborts first. A later rejection of the promise is ignored.
 *
 * @throws the error of the promise, or the reason of the signal
 */
export const untilAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  promise.catch(() => {}); // after an abort nothing else awaits it
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
