import { type Clock, systemClock } from "../runtime/clock.ts";

/** Options of `throttledLog`. */
export interface ThrottledLogOptions {
  /** Minimum milliseconds between two lines. @default 60000 */
  readonly everyMs?: number;
  /** Clock that measures `everyMs`. @default the runtime's */
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Returns a function that limits the log lines of a repeated failure: it calls `write` for the first occurrence, then at most once per `everyMs`. `write` gets
 * the number of occurrences omitted since its last call.
 *
 * @example
 * const logThrottled = throttledLog();
 * const failed = (error: unknown) => logThrottled((omitted) => log.warn("the store does not respond", { error, omitted }));
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
