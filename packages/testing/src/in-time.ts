import { clearTimeout, setTimeout } from "node:timers"; // the module's own stay real where a runner fakes the global ones

/** Runs work with a signal that aborts after `timeoutMs` with the error that `timeoutError` creates. */
export const inTime = async <T>(
  timeoutMs: number,
  timeoutError: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(timeoutError()), timeoutMs);
  try {
    return await work(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
};

/** Settles like `work`, or rejects with the signal's reason as soon as it aborts. */
export const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
};
