import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { estimate, median, quantile, formatEstimate } from "./statistics.ts";

test("the median of an even number of samples lies between the middle two", () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([5])).toBe(5);
});

test("a quantile is interpolated linearly", () => {
  expect(quantile([10, 20, 30, 40, 50], 0.99)).toBeCloseTo(49.6);
  expect(quantile(Float64Array.of(1, 2), 0)).toBe(1);
});

test("the interval contains the median and lies within the samples", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 12 }), (samples) => {
      const { median: middle, low, high, n } = estimate(samples);
      expect(low).toBeLessThanOrEqual(middle);
      expect(high).toBeGreaterThanOrEqual(middle);
      expect(low).toBeGreaterThanOrEqual(Math.min(...samples));
      expect(high).toBeLessThanOrEqual(Math.max(...samples));
      expect(n).toBe(samples.length);
    }),
    { numRuns: 30 },
  );
});

test("more samples make a narrower interval", () => {
  const wave = (length: number) => Array.from({ length }, (_, index) => 100 + 10 * Math.sin(index * 12.9898));
  const width = ({ low, high }: { low: number; high: number }) => high - low;
  expect(width(estimate(wave(400)))).toBeLessThan(width(estimate(wave(10))) / 2);
});

test("the same samples give the same interval", () => {
  const samples = [3, 1, 4, 1, 5, 9, 2, 6];
  expect(estimate(samples)).toEqual(estimate(samples));
});

test("an estimate is shown with its interval", () => {
  expect(formatEstimate({ median: 1.234, low: 1, high: 1.5, n: 3 }, 2)).toBe("1.23 [1.00–1.50]");
});
