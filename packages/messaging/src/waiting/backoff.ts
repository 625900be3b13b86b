/** Longest pause before the first attempt after a failure, and of all, in milliseconds. */
const FIRST_MS = 200;
const MAX_MS = 30_000;

/**
 * Returns the pause before an attempt: random up to a limit that doubles (full jitter), so that processes do not come back together.
 *
 * @param failures in a row, at least 1
 * @param random a number from 0 up to 1
 */
export const backoffMs = (failures: number, random: number): number =>
  Math.round(random * Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20)));
