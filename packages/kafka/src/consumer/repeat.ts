import type { Clock } from "@framework/core/feature";
import { pause } from "@framework/messaging/adapter";

/** Options of `repeat`. */
export interface RepeatOptions {
  readonly clock: Clock;
  /** Milliseconds before the first run, and between the end of a run and the next one. */
  readonly everyMs: number;
  /** Ends the repetition. */
  readonly signal: AbortSignal;
}

/** Repeats work, one run at a time, until the signal aborts. */
export const repeat = async (
  work: () => void | Promise<void>,
  { clock, everyMs, signal }: RepeatOptions,
): Promise<void> => {
  for (;;) {
    await pause(clock, everyMs, signal);
    if (signal.aborted) return;
    await work();
  }
};
