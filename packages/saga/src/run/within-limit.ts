import type { Clock } from "@framework/core/feature";
import { GRACE_MS } from "../limits.ts";

/** Limits of an attempt. */
export interface AttemptLimits {
  /** Clock of the limit. */
  readonly clock: Clock;
  /** The limit, in milliseconds. */
  readonly timeoutMs: number;
  /** Rejects the attempt at once when it aborts, because another worker may continue. */
  readonly signal: AbortSignal;
  /** Creates the error of an attempt that took too long. */
  readonly timeoutError: () => Error;
  /** Subscribes `stop`, which aborts the work with a reason. Returns a function that unsubscribes. @default none */
  readonly onStopped?: (stop: (reason: Error) => void) => () => void;
  /** Called when the work has not ended within the grace period: it may take effect later. */
  readonly onAbandoned: () => void;
}

/**
 * Runs work with a time limit. When the limit is reached or the work is stopped, its signal aborts, and the attempt rejects once the work has ended, even if
 * the work succeeds: the next attempt or the undo must not overlap with it. Work that has not ended ten seconds after its limit is abandoned.
 */
export const withinLimit = async <T>(
  { clock, timeoutMs, signal, timeoutError, onStopped, onAbandoned }: AttemptLimits,
  work: (signal: AbortSignal) => T | PromiseLike<T>,
): Promise<T> => {
  signal.throwIfAborted();
  const controller = new AbortController();
  const { promise: rejected, reject } = Promise.withResolvers<never>();
  rejected.catch(() => {}); // it may reject after the race below has settled
  const rejectNow = (): void => {
    reject(signal.reason);
    controller.abort(signal.reason);
  };
  const abandon = (): void => {
    onAbandoned();
    reject(controller.signal.reason);
  };
  let cancel = clock.after(timeoutMs, () => {
    controller.abort(timeoutError());
    cancel = clock.after(GRACE_MS, abandon);
  });
  const unsubscribe = onStopped?.((reason) => controller.abort(reason));
  signal.addEventListener("abort", rejectNow, { once: true });
  try {
    const output = await Promise.race([work(controller.signal), rejected]);
    controller.signal.throwIfAborted();
    return output;
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    cancel();
    unsubscribe?.();
    signal.removeEventListener("abort", rejectNow);
  }
};

/** Returns the log message for abandoned work. */
export const abandonedCall = (saga: string, step: string): string =>
  `saga: "${saga}" continues although "${step}" has not ended ${GRACE_MS} ms after its time limit: its late effects may follow its undo`;
