const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 1000;

/**
 * Returns the pause before a transaction runs again: it doubles with each failure, up to a second, with a jitter of ±50 %.
 *
 * @param failures number of failures before this one
 * @param random from 0 to 1
 */
export const retryPauseMs = (failures: number, random: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) * (0.5 + random);
