import { expect, test } from "@jest/globals";
import { addCounts, bucketOf, latencyBounds, noCounts, percentile } from "./buckets.ts";

test("bounds ascend, and each value is in the first bucket whose bound is at least the value", () => {
  expect(latencyBounds).toEqual([...latencyBounds].sort((one, other) => one - other));
  expect([latencyBounds[0], latencyBounds.at(-1)]).toEqual([0.01, 8000]);
  for (const value of [0, 0.01, 0.011, 1, 1.2, 4.5, 8000, 8001, 1e9]) {
    const found = latencyBounds.findIndex((bound) => bound >= value);
    expect(bucketOf(latencyBounds, value)).toBe(found < 0 ? latencyBounds.length : found);
  }
});

test("percentiles are accurate to a bucket", () => {
  const values = Array.from({ length: 1000 }, (_, at) => (at + 1) / 10);
  const counts = noCounts(latencyBounds);
  for (const value of values) {
    const bucket = bucketOf(latencyBounds, value);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  for (const part of [0.01, 0.5, 0.95, 0.99, 1]) {
    const estimate = percentile(latencyBounds, counts, part) ?? 0;
    const exact = values[Math.ceil(part * values.length) - 1] ?? 0;
    expect(estimate / exact).toBeGreaterThan(0.9);
    expect(estimate / exact).toBeLessThan(1.2);
  }
});

test("without observations there is no percentile; above the last bound it is that bound", () => {
  const counts = noCounts([1, 2]);
  expect(percentile([1, 2], counts, 0.5)).toBeNull();
  addCounts(counts, [0, 0, 5]);
  expect(percentile([1, 2], counts, 0.5)).toBe(2);
});
