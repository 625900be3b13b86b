/** The highest priority of an item; the lowest is its negative. */
export const MAX_PRIORITY = 100;

/** Returns all priorities, ascending. */
export const priorities = (): readonly number[] =>
  Array.from({ length: 2 * MAX_PRIORITY + 1 }, (_, index) => index - MAX_PRIORITY);
