import type { HrTime } from "@opentelemetry/api";
import type { DataPoint, Histogram } from "@opentelemetry/sdk-metrics";

/** Labels of a series. */
export type Labels = Readonly<Record<string, string | number | boolean>>;

/** Observations with the same labels, counted in buckets since the first observation. */
export class HistogramSeries {
  private readonly labels: Labels;
  private readonly startTime: HrTime;
  private readonly bounds: readonly number[];
  private readonly counts: number[];
  private sum = 0;
  private min = Infinity;
  private max = -Infinity;

  constructor(labels: Labels, bounds: readonly number[], startTime: HrTime) {
    this.labels = labels;
    this.bounds = bounds;
    this.startTime = startTime;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
    counts[at] = (counts[at] ?? 0) + 1;
    this.sum += value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  /** Returns a data point of all observations. */
  point(endTime: HrTime): DataPoint<Histogram> {
    const { labels, startTime, bounds, counts, sum, min, max } = this;
    return {
      attributes: labels,
      startTime,
      endTime,
      value: {
        buckets: { boundaries: [...bounds], counts: [...counts] },
        count: counts.reduce((total, count) => total + count, 0),
        sum,
        min,
        max,
      },
    };
  }
}
