/** Upper bounds of the pause after the first failure, and of every pause, in milliseconds. */
const FIRST_MS = 200;
const MAX_MS = 30_000;

/**
 * Returns the pause before an attempt in milliseconds: exponential backoff with full jitter, so that processes do not reconnect at the same time.
 *
 * @param failures number of failures in a row, at least 1
 * @param random a number from 0 up to 1
 */
export const backoffMs = (failures: number, random: number): number =>
  Math.round(random * Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20)));
