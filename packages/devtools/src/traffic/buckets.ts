/** Upper bounds of the buckets of latencies in milliseconds: seven per decade, from 0.01 ms to 8 s. A last bucket counts longer ones. */
export const latencyBounds: readonly number[] = [0.01, 0.1, 1, 10, 100, 1000].flatMap((decade) =>
  [1, 1.5, 2, 3, 4.5, 6, 8].map((step) => Number((decade * step).toPrecision(3))),
);

/** Returns zero counts for the given bounds. */
export const noCounts = (bounds: readonly number[]): number[] =>
  Array.from({ length: bounds.length + 1 }, () => 0);

/** Returns the index of a value's bucket: the first whose bound is at least the value. */
export const bucketOf = (bounds: readonly number[], value: number): number => {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Returns the sum of counts. */
export const totalOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Adds the second counts to the first. */
export const addCounts = (to: number[], counts: readonly number[]): void => {
  for (const [at, count] of counts.entries()) to[at] = (to[at] ?? 0) + count;
};

/**
 * Estimates a percentile, such as 0.95; `null` if there are no observations. Observations are assumed to be spread evenly within a bucket. Above
 * the last bound, the estimate is that bound.
 */
export const percentile = (
  bounds: readonly number[],
  counts: readonly number[],
  part: number,
): number | null => {
  const total = totalOf(counts);
  if (total === 0) return null;
  let below = 0;
  for (const [at, count] of counts.entries()) {
    if (count > 0 && below + count >= total * part) {
      const low = at === 0 ? 0 : (bounds[at - 1] ?? 0);
      const high = bounds[at] ?? low;
      return low + (high - low) * ((total * part - below) / count);
    }
    below += count;
  }
  return bounds.at(-1) ?? null;
};
