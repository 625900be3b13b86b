/** Returns the index of a value's bucket: the first bucket whose bound is at least the value, or the unbounded bucket. */
export const bucketOf = (bounds: readonly number[], value: number): number => {
  let index = 0;
  while (index < bounds.length && value > (bounds[index] ?? Infinity)) index++;
  return index;
};

/** Returns the number of a histogram's entries in a list of increments or totals: non-cumulative buckets, the unbounded bucket, the sum. */
export const widthOf = (bounds: readonly number[]): number => bounds.length + 2;

/** Adds an observation to a histogram that begins at `offset`. */
export const observe = (gains: number[], offset: number, bounds: readonly number[], value: number): void => {
  const bucket = offset + bucketOf(bounds, value);
  const sum = offset + bounds.length + 1;
  gains[bucket] = (gains[bucket] ?? 0) + 1;
  gains[sum] = (gains[sum] ?? 0) + value;
};

/** Whether bounds are 1 to 60 finite numbers in ascending order. */
export const areBounds = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length >= 1 &&
  value.length <= 60 &&
  value.every((bound, index) => Number.isFinite(bound) && (index === 0 || bound > value[index - 1]));
