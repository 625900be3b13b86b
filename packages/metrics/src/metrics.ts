import type { Sample } from "@framework/core/feature";
import type { Across } from "./family.ts";
import type { LabelValues } from "./series-table.ts";

/** What every metric of an app says about itself. */
export interface MetricOptions<Label extends string = never> {
  /** Letters, digits and underscores, with the unit; unique in the app. Counters end in `_total`. */
  readonly name: string;
  /** One sentence on what the metric counts or observes. */
  readonly help: string;
  /** Names of the labels, each with values of a small set. @default [] */
  readonly labelNames?: readonly Label[];
}

/** What a gauge says besides. */
export interface GaugeOptions<Label extends string = never> extends MetricOptions<Label> {
  /** How the values of several workers become one. @default "sum" */
  readonly across?: Across;
  /** Asked at each scrape, beside what was set. */
  readonly read?: () => number | readonly Sample[];
}

/** What a histogram says besides. */
export interface HistogramOptions<Label extends string = never> extends MetricOptions<Label> {
  /** Upper bounds, each above the one before. @default [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] */
  readonly buckets?: readonly number[];
}

/** The arguments of a call: labels come first where a metric has any. */
export type Arguments<Label extends string, Rest extends readonly unknown[]> = [Label] extends [never]
  ? Rest
  : [labels: LabelValues<Label>, ...rest: Rest];

/** A counter of one set of labels. */
export interface BoundCounter {
  /** @throws METRICS_BAD_AMOUNT for a negative amount, or none that is finite */
  inc(amount?: number): void;
}

/** A gauge of one set of labels. */
export interface BoundGauge {
  /** @throws METRICS_BAD_AMOUNT for what is not finite, as do `inc` and `dec` */
  set(value: number): void;
  inc(amount?: number): void;
  dec(amount?: number): void;
}

/** A histogram of one set of labels. */
export interface BoundHistogram {
  /** @throws METRICS_BAD_AMOUNT for what is not finite */
  observe(value: number): void;
}

/** Only grows, over all workers and their restarts. */
export interface Counter<Label extends string = never> {
  /** @throws METRICS_BAD_AMOUNT for a negative amount or none that is finite, METRICS_BAD_LABELS */
  inc(...args: Arguments<Label, [amount?: number]>): void;
  /** The counter of one set of labels, to be kept where it is used often. @throws METRICS_BAD_LABELS */
  labels(labels: LabelValues<Label>): BoundCounter;
}

/** Goes up and down; what is shown is made of the values of the workers that live. */
export interface Gauge<Label extends string = never> {
  /** @throws METRICS_BAD_AMOUNT for what is no number, METRICS_BAD_LABELS */
  set(...args: Arguments<Label, [value: number]>): void;
  inc(...args: Arguments<Label, [amount?: number]>): void;
  dec(...args: Arguments<Label, [amount?: number]>): void;
  /** The gauge of one set of labels. @throws METRICS_BAD_LABELS */
  labels(labels: LabelValues<Label>): BoundGauge;
}

/** Counts observations in buckets, over all workers and their restarts. */
export interface Histogram<Label extends string = never> {
  /** @throws METRICS_BAD_AMOUNT for what is not finite, METRICS_BAD_LABELS */
  observe(...args: Arguments<Label, [value: number]>): void;
  /** The histogram of one set of labels. @throws METRICS_BAD_LABELS */
  labels(labels: LabelValues<Label>): BoundHistogram;
}

/** Makes the app's own metrics, all of them before start; call `enablePrometheus` first. */
export interface Metrics {
  /** @throws METRICS_BAD_METRIC at start, with all other mistakes; METRICS_ALREADY_STARTED */
  counter<const Label extends string = never>(options: MetricOptions<Label>): Counter<Label>;
  /** @throws METRICS_BAD_METRIC at start, with all other mistakes; METRICS_ALREADY_STARTED */
  gauge<const Label extends string = never>(options: GaugeOptions<Label>): Gauge<Label>;
  /** @throws METRICS_BAD_METRIC at start, with all other mistakes; METRICS_ALREADY_STARTED */
  histogram<const Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label>;
}
