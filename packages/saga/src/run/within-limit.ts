import type { Clock } from "@framework/core/feature";

/** Limits of an attempt. */
export interface AttemptLimits {
  /** Clock of the limit. */
  readonly clock: Clock;
  /** The limit, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the attempt from outside. */
  readonly signal: AbortSignal;
  /** The error of an attempt that took too long. */
  readonly late: () => Error;
}

/** Runs work until its limit: it rejects then, whatever the work does, and its signal aborts. */
export const withinLimit = async <T>(
  { clock, timeoutMs, signal, late }: AttemptLimits,
  work: (signal: AbortSignal) => T | PromiseLike<T>,
): Promise<T> => {
  signal.throwIfAborted();
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    reject(reason);
    controller.abort(reason);
  };
  const stop = (): void => end(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const cancel = clock.after(timeoutMs, () => end(late()));
  ended.catch(() => {}); // the race below may be over
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    cancel();
    signal.removeEventListener("abort", stop);
  }
};
