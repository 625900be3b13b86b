import type { Clock } from "@framework/core/feature";

/** Creates a monotonic clock that starts at the wall-clock time, so that processes agree on the age of stored replies. */
export const epochClock = (clock: Clock): Clock => {
  const offset = clock.date() - clock.now();
  return { ...clock, now: () => offset + clock.now() };
};
