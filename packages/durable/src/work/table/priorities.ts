/** The highest priority of an item; the lowest is its negative. */
export const MAX_PRIORITY = 100;

/** All priorities. */
export const priorities = (): readonly number[] =>
  Array.from({ length: 2 * MAX_PRIORITY + 1 }, (_, index) => index - MAX_PRIORITY);
