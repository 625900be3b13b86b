import type { Clock } from "@framework/core/feature";

/** A monotonic clock based on the wall clock, so that processes agree on the age of stored replies. */
export const epochClock = (clock: Clock): Clock => {
  const offset = clock.date() - clock.now();
  return { ...clock, now: () => offset + clock.now() };
};
