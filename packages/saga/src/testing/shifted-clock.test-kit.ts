import { type Clock, systemClock } from "@framework/core/feature";

export const HOUR_MS = 3_600_000;

/** A clock shifted by `ms`, which may be negative. */
export const shiftedClock = (ms: number): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + ms,
  date: () => systemClock.date() + ms,
});
