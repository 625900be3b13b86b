import { clearTimeout, setTimeout } from "node:timers"; // these timers stay real when a test runner replaces the global ones

/** Maximum delay of a timer, 24.8 days: with a longer delay, such as `Infinity`, a timer would fire at once. */
export const MAX_MS = 2_147_483_647;

/** Runs work with a signal that aborts after `timeoutMs` with the error that `timeoutError` creates. */
export const inTime = async <T>(
  timeoutMs: number,
  timeoutError: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(timeoutError()), Math.min(timeoutMs, MAX_MS));
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
