import { type Clock, systemClock } from "@framework/core/feature";

export const HOUR_MS = 3_600_000;

/** A clock that is ahead, or behind. */
export const shiftedClock = (ms: number): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + ms,
  date: () => systemClock.date() + ms,
});
