import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { pause } from "@framework/durable/feature";

/** Options of repeated work. */
export interface UntilDoneOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the repetition with its reason. */
  readonly signal: AbortSignal;
  /** Names the work in messages. */
  readonly what: string;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** Repeats work that must not be lost, with growing pauses, until it succeeds or the signal aborts. */
export const untilDone = async (
  work: () => Promise<void>,
  { clock, log, signal, what }: UntilDoneOptions,
): Promise<void> => {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      log.warn(`messaging: ${what} could not be stored; it is tried again`, { error });
    }
    await pause(clock, pauseMs, signal);
  }
};
