/** Result of Welch's t-test of two samples. */
export interface Comparison {
  readonly meanOf: readonly [first: number, second: number];
  /** Difference of the means in standard errors; above 4.5 the samples differ. */
  readonly t: number;
  readonly pairs: number;
}

/** Compares two samples of different variance. Drops values above the 90th percentile of both as machine noise. */
export const welch = (first: readonly number[], second: readonly number[]): Comparison => {
  const sorted = [...first, ...second].toSorted((a, b) => a - b);
  const limit = sorted[Math.floor(sorted.length * 0.9)] ?? Infinity;
  const [one, other] = [first, second].map((sample) => momentsOf(sample.filter((value) => value <= limit)));
  if (one === undefined || other === undefined) throw new Error("unreachable: two samples");
  const error = Math.sqrt(one.variance / one.count + other.variance / other.count);
  return { meanOf: [one.mean, other.mean], t: (one.mean - other.mean) / error, pairs: first.length };
};

const momentsOf = (sample: readonly number[]) => {
  const count = sample.length;
  const mean = sample.reduce((sum, value) => sum + value, 0) / count;
  const variance = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  return { count, mean, variance };
};
