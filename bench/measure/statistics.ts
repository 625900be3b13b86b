import { seededRandom } from "@framework/testing";

/** A median with its 95 % confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** Number of samples. */
  readonly n: number;
}

export const median = (values: readonly number[]): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

const RESAMPLES = 2000;

/** Estimates the median of samples; the interval is by bootstrap (percentiles of 2,000 resampled medians, fixed seed). */
export const estimate = (samples: readonly number[]): Estimate => {
  const random = seededRandom(1);
  const draw = (): number => samples[Math.floor(random() * samples.length)] ?? NaN;
  const medians = Array.from({ length: RESAMPLES }, () => median(samples.map(draw))).sort((a, b) => a - b);
  return {
    median: median(samples),
    low: quantile(medians, 0.025),
    high: quantile(medians, 0.975),
    n: samples.length,
  };
};

/** Formats an estimate as a table cell. */
export const formatEstimate = ({ median: middle, low, high }: Estimate, digits: number): string =>
  `${middle.toFixed(digits)} [${low.toFixed(digits)}–${high.toFixed(digits)}]`;

/** Returns the quantile `q` of ascending values, with linear interpolation. */
export const quantile = (sorted: ArrayLike<number>, q: number): number => {
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)] ?? NaN;
  return below + ((sorted[Math.ceil(at)] ?? NaN) - below) * (at % 1);
};
