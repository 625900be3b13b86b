import type { Clock } from "@framework/core/feature";

/** A monotonic clock that begins at the wall clock's time, so that replies stored by one process have an age in another. */
export const epochClock = (clock: Clock): Clock => {
  const offset = clock.date() - clock.now();
  return { ...clock, now: () => offset + clock.now() };
};
