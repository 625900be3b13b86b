import type { Logger } from "@framework/core";
import { type Clock, messageOf } from "@framework/core/feature";
import { pause } from "@framework/durable/feature";
import type { Troubles } from "../waiting/troubles.ts";

/** Options of repeated work. */
export interface UntilDoneOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the repetition with its reason. */
  readonly signal: AbortSignal;
  /** Names the work in messages. */
  readonly what: string;
  /** Has the reason while it fails. */
  readonly troubles: Troubles;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** Repeats work that must not be lost, with growing pauses, until it succeeds or the signal aborts. */
export const untilDone = async <T>(
  work: () => Promise<T>,
  { clock, log, signal, what, troubles }: UntilDoneOptions,
): Promise<T> => {
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        log.warn(`messaging: ${what} could not be stored; it is tried again`, { error });
        troubles.failed(work, `${what} could not be stored, and is tried again: ${messageOf(error)}`);
      }
      await pause(clock, pauseMs, signal);
    }
  } finally {
    troubles.ended(work);
  }
};
