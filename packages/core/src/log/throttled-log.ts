import { type Clock, systemClock } from "../runtime/clock.ts";

/** How often a throttled log writes. */
export interface ThrottledLogOptions {
  /** Minimum of milliseconds between two lines. @default 60000 */
  readonly everyMs?: number;
  /** Clock of the interval. @default the runtime's */
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Keeps a failure that repeats, such as that of a store, from filling the log: calls `write` for the first occurrence, then at most once per
 * `everyMs`. `write` gets the number of occurrences left out since its last call.
 *
 * @example
 * const logSometimes = throttledLog();
 * const failed = (error: unknown) => logSometimes((omitted) => log.warn("the store does not answer", { error, omitted }));
 */
export const throttledLog = ({ everyMs = 60_000, clock = systemClock }: ThrottledLogOptions = {}): ((
  write: (omitted: number) => void,
) => void) => {
  let quietUntil = -Infinity;
  let omitted = 0;
  return (write) => {
    const now = clock.now();
    if (now < quietUntil) {
      omitted++;
      return;
    }
    quietUntil = now + everyMs;
    const before = omitted;
    omitted = 0;
    write(before);
  };
};
