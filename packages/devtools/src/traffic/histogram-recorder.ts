import type { HistogramRecorder } from "@framework/core/feature";
import { bucketOf, noCounts } from "./buckets.ts";

/** A histogram of a feature, with the observations since recording started. */
export interface HistogramReport {
  readonly name: string;
  readonly help: string;
  /** Upper bounds of the buckets; a last bucket counts the values above. */
  readonly bounds: readonly number[];
  /** Observations in each bucket, by labels: `queue="mail"`. */
  readonly series: readonly (readonly [labels: string, counts: readonly number[]])[];
}

const MAX_SERIES = 20;
const MAX_HISTOGRAMS = 50;

interface RecordedHistogram {
  readonly name: string;
  readonly help: string;
  readonly bounds: readonly number[];
  readonly series: Map<string, number[]>;
}

/** Records the histograms of an app's features while a page is open. */
export class HistogramTally {
  private readonly histograms: RecordedHistogram[] = [];
  private isOn = false;

  /** Resets the counts and starts recording. */
  start(): void {
    this.isOn = true;
    for (const { series } of this.histograms) series.clear();
  }

  stop(): void {
    this.isOn = false;
  }

  readonly recorder: HistogramRecorder = ({ name, help, buckets: bounds }) => {
    if (this.histograms.length >= MAX_HISTOGRAMS) return () => {};
    const series = new Map<string, number[]>();
    this.histograms.push({ name, help, bounds, series });
    return (value, labels) => {
      if (!this.isOn) return;
      const key = Object.entries(labels)
        .map(([label, text]) => `${label}="${text}"`)
        .join(", ")
        .slice(0, 200);
      const counts = series.get(key) ?? (series.size < MAX_SERIES ? noCounts(bounds) : null);
      if (counts === null) return;
      series.set(key, counts);
      const bucket = bucketOf(bounds, value);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    };
  };

  /** The histograms that have observations. */
  reports(): readonly HistogramReport[] {
    return this.histograms
      .filter(({ series }) => series.size > 0)
      .map(({ name, help, bounds, series }) => ({ name, help, bounds, series: [...series] }));
  }
}
