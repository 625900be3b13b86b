import type { Logger } from "@framework/core";
import { type Clock, messageOf } from "@framework/core/feature";
import { pause } from "@framework/durable/feature";
import type { OngoingFailures } from "../waiting/ongoing-failures.ts";

/** Options of `untilDone`. */
export interface UntilDoneOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the retries: rejects with its reason. */
  readonly signal: AbortSignal;
  /** Names the stored message in the log, such as `a dead letter`. */
  readonly subject: string;
  /** Records the reason while the work fails. */
  readonly failures: OngoingFailures;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;

/** Retries work with exponential backoff until it succeeds or the signal aborts. */
export const untilDone = async <T>(
  work: () => Promise<T>,
  { clock, log, signal, subject, failures }: UntilDoneOptions,
): Promise<T> => {
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        log.warn(`messaging: ${subject} could not be stored; trying again`, { error });
        failures.failed(work, `${subject} cannot be stored: ${messageOf(error)}`);
      }
      await pause(clock, pauseMs, signal);
    }
  } finally {
    failures.ended(work);
  }
};
