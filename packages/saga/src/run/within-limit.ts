import type { Clock } from "@framework/core/feature";
import { GRACE_MS } from "../limits.ts";

/** Limits of an attempt. */
export interface AttemptLimits {
  /** Clock of the limit. */
  readonly clock: Clock;
  /** The limit, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the attempt from outside, at once: another worker may go on. */
  readonly signal: AbortSignal;
  /** The error of an attempt that took too long. */
  readonly late: () => Error;
  /** Calls `stop` with a reason for which the work should end. Returns what ends the calls. @default no such reasons */
  readonly onStopped?: (stop: (reason: Error) => void) => () => void;
  /** Called when the work has not ended although its signal has aborted: it may take effect later. */
  readonly abandoned: () => void;
}

/**
 * Runs work until its limit. Its signal aborts then, or when it is stopped, and the attempt rejects when the work has ended, whatever came of it: what follows,
 * such as its undo, must not overtake it. Work that has not ended ten seconds after its limit is abandoned.
 */
export const withinLimit = async <T>(
  { clock, timeoutMs, signal, late, onStopped, abandoned }: AttemptLimits,
  work: (signal: AbortSignal) => T | PromiseLike<T>,
): Promise<T> => {
  signal.throwIfAborted();
  const controller = new AbortController();
  const { promise: left, reject } = Promise.withResolvers<never>();
  left.catch(() => {}); // the race below may be over
  const leave = (): void => {
    reject(signal.reason);
    controller.abort(signal.reason);
  };
  const abandon = (): void => {
    abandoned();
    reject(controller.signal.reason);
  };
  let cancel = clock.after(timeoutMs, () => {
    controller.abort(late());
    cancel = clock.after(GRACE_MS, abandon);
  });
  const forget = onStopped?.((reason) => controller.abort(reason));
  signal.addEventListener("abort", leave, { once: true });
  try {
    const output = await Promise.race([work(controller.signal), left]);
    controller.signal.throwIfAborted();
    return output;
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    cancel();
    forget?.();
    signal.removeEventListener("abort", leave);
  }
};

/** The log line for work that was abandoned. */
export const abandonedCall = (saga: string, step: string): string =>
  `saga: "${saga}" goes on although "${step}" has not ended ${GRACE_MS} ms after its time limit: what it does from now on may come after its undo`;
