import type { Sample } from "@framework/core/feature";
import type { Across } from "./family.ts";
import type { LabelValues } from "./series-table.ts";

/** Options of every metric. */
export interface MetricOptions<Label extends string = never> {
  /** Letters, digits and underscores, with the unit; unique in the app. Counters end in `_total`. */
  readonly name: string;
  /** One sentence that describes the value. */
  readonly help: string;
  /** Names of the labels; each has a small set of values. @default [] */
  readonly labelNames?: readonly Label[];
}

/** Options of a gauge. */
export interface GaugeOptions<Label extends string = never> extends MetricOptions<Label> {
  /** Aggregation of the values of several workers. @default "sum" */
  readonly across?: Across;
  /** Returns additional values. Called at start and stop, at each scrape, and, with several workers, at each flush of counts (at most every 100 ms). */
  readonly read?: () => number | readonly Sample[];
}

/** Options of a histogram. */
export interface HistogramOptions<Label extends string = never> extends MetricOptions<Label> {
  /** Upper bounds in ascending order. @default [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] */
  readonly buckets?: readonly number[];
}

/** Arguments of a call: first the labels, if the metric has any. */
export type Arguments<Label extends string, Rest extends readonly unknown[]> = [Label] extends [never]
  ? Rest
  : [labels: LabelValues<Label>, ...rest: Rest];

/** A counter of one set of labels. */
export interface BoundCounter {
  /**
   * Adds to the count. @param amount at least 0. @default 1
   *
   * @throws METRICS_BAD_AMOUNT for a negative or non-finite amount
   */
  inc(amount?: number): void;
}

/** A gauge of one set of labels. */
export interface BoundGauge {
  /**
   * Sets the value.
   *
   * @throws METRICS_BAD_AMOUNT for a non-finite value, as do `inc` and `dec`
   */
  set(value: number): void;
  /** Adds to the value. @default 1 */
  inc(amount?: number): void;
  /** Subtracts from the value. @default 1 */
  dec(amount?: number): void;
}

/** A histogram of one set of labels. */
export interface BoundHistogram {
  /**
   * Records a value.
   *
   * @throws METRICS_BAD_AMOUNT for a non-finite value
   */
  observe(value: number): void;
}

/** A counter. Summed over all workers, it only grows, even when workers restart. */
export interface Counter<Label extends string = never> {
  /**
   * Adds to the count of these labels. @default 1
   *
   * @throws METRICS_BAD_AMOUNT for a negative or non-finite amount, METRICS_BAD_LABELS
   */
  inc(...args: Arguments<Label, [amount?: number]>): void;
  /** Returns the counter of one set of labels; keep it for frequent use. @throws METRICS_BAD_LABELS */
  labels(labels: LabelValues<Label>): BoundCounter;
}

/** A gauge, whose value can rise and fall; aggregated over live workers. */
export interface Gauge<Label extends string = never> {
  /**
   * Sets the value of these labels.
   *
   * @throws METRICS_BAD_AMOUNT for a non-finite value, METRICS_BAD_LABELS
   */
  set(...args: Arguments<Label, [value: number]>): void;
  /** Adds to the value of these labels. @default 1 @throws METRICS_BAD_AMOUNT for a non-finite amount, METRICS_BAD_LABELS */
  inc(...args: Arguments<Label, [amount?: number]>): void;
  /** Subtracts from the value of these labels. @default 1 @throws METRICS_BAD_AMOUNT for a non-finite amount, METRICS_BAD_LABELS */
  dec(...args: Arguments<Label, [amount?: number]>): void;
  /** Returns the gauge of one set of labels. @throws METRICS_BAD_LABELS */
  labels(labels: LabelValues<Label>): BoundGauge;
}

/** A histogram, summed over all workers; it keeps its counts when workers restart. */
export interface Histogram<Label extends string = never> {
  /**
   * Records a value under these labels.
   *
   * @throws METRICS_BAD_AMOUNT for a non-finite value, METRICS_BAD_LABELS
   */
  observe(...args: Arguments<Label, [value: number]>): void;
  /** Returns the histogram of one set of labels. @throws METRICS_BAD_LABELS */
  labels(labels: LabelValues<Label>): BoundHistogram;
}

/** Creates the app's own metrics, between `enablePrometheus` and start. */
export interface Metrics {
  /**
   * Creates a counter, whose value only grows.
   *
   * @throws METRICS_BAD_METRIC and METRICS_NOT_ENABLED at start, together with all other configuration errors; METRICS_ALREADY_STARTED
   */
  counter<const Label extends string = never>(options: MetricOptions<Label>): Counter<Label>;
  /**
   * Creates a gauge, whose value can rise and fall.
   *
   * @throws METRICS_BAD_METRIC and METRICS_NOT_ENABLED at start, together with all other configuration errors; METRICS_ALREADY_STARTED
   */
  gauge<const Label extends string = never>(options: GaugeOptions<Label>): Gauge<Label>;
  /**
   * Creates a histogram of values.
   *
   * @throws METRICS_BAD_METRIC and METRICS_NOT_ENABLED at start, together with all other configuration errors; METRICS_ALREADY_STARTED
   */
  histogram<const Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label>;
}
