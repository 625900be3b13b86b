import { FrameworkError, type Logger, type Problem } from "@framework/core";
import type { HistogramDefinition, RecordObservation } from "@framework/core/feature";
import { areBounds, observe, widthOf } from "./buckets.ts";
import {
  type Family,
  type GaugeEntry,
  isLabelName,
  isMetricName,
  type LabelList,
  seriesOf,
} from "./family.ts";
import { Cell, type DirtyCells } from "./dirty-cells.ts";
import type {
  BoundCounter,
  BoundGauge,
  BoundHistogram,
  Counter,
  Gauge,
  GaugeOptions,
  Histogram,
  HistogramOptions,
  MetricOptions,
  Metrics,
} from "./metrics.ts";
import { readSamples } from "./samples.ts";
import { type LabelValues, SeriesTable } from "./series-table.ts";

/** Dependencies of the app's own metrics. */
export interface OwnMetricsOptions {
  readonly dirty: DirtyCells;
  readonly limits: { readonly maxSeries: number };
  readonly report: (problem: Problem) => void;
  /** Whether `enablePrometheus` was called. */
  readonly isEnabled: () => boolean;
}

/** Arguments of a call: the labels, if any, and a number. */
type Call = readonly (LabelValues<string> | number | undefined)[];

const noLabels: LabelValues<string> = Object.freeze({});
const durations: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The program's own metrics. A flush sends the counts in their cells and reads the gauges. */
export class OwnMetrics implements Metrics {
  readonly families: Family[] = [];
  private readonly options: OwnMetricsOptions;
  private readonly readers: { readonly name: string; readonly read: () => readonly GaugeEntry[] }[] = [];
  private isClosed = false;

  constructor(options: OwnMetricsOptions) {
    this.options = options;
  }

  /** Rejects metrics that are created later, so that every worker has the same set. */
  close(): void {
    this.isClosed = true;
  }

  /** Returns the current gauges; a failure of `read` is logged and yields no values. */
  gauges(log: Pick<Logger, "error">): GaugeEntry[] {
    return this.readers.flatMap(({ name, read }) => {
      try {
        return read();
      } catch (error) {
        log.error(`the metric ${name} could not be read`, { error });
        return [];
      }
    });
  }

  counter<const Label extends string = never>(options: MetricOptions<Label>): Counter<Label> {
    this.register({ ...options, type: "counter" });
    const { dirty } = this.options;
    const table = this.table<BoundCounter>(options, (series) => {
      const cell = new Cell(series, 1);
      dirty.mark(cell); // exported from the start, as 0
      return {
        inc(amount = 1) {
          if (!Number.isFinite(amount) || amount < 0) throw badAmount(options.name, "a number of at least 0");
          cell.gains[0] = (cell.gains[0] ?? 0) + amount;
          dirty.mark(cell);
        },
      };
    });
    const inc = (...call: Call): void => table.get(labelsOf(call)).inc(numberOf(call));
    return { inc, labels: (labels) => table.get(labels) } satisfies Loose<BoundCounter> as Counter<Label>;
  }

  histogram<const Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label> {
    const { buckets: bounds = durations } = options;
    this.register({ ...options, type: "histogram", bounds });
    const table = this.histogramTable(options, bounds);
    const observeCall = (...call: Call): void =>
      table.get(labelsOf(call)).observe(numberOf(call) ?? Number.NaN);
    const metric = {
      observe: observeCall,
      labels: (labels) => table.get(labels),
    } satisfies Loose<BoundHistogram>;
    return metric as Histogram<Label>;
  }

  /** Registers the histogram of a feature, which core has checked. The returned function throws METRICS_BAD_LABELS and METRICS_BAD_AMOUNT. */
  recordHistogram(
    { name, help, labels: labelNames, buckets: bounds }: HistogramDefinition,
    namespace: string,
  ): RecordObservation {
    const family = { name: `${namespace}_${name}`, help };
    this.families.push({ ...family, type: "histogram", bounds });
    const table = this.histogramTable({ ...family, labelNames }, bounds);
    return (value, labels) => table.get(labels).observe(value);
  }

  gauge<const Label extends string = never>(options: GaugeOptions<Label>): Gauge<Label> {
    const { name, across = "sum", read } = options;
    this.register({ ...options, type: "gauge", across });
    const table = this.table<BoundGauge & { entry(): GaugeEntry }>(
      options,
      (series) => {
        let current = 0;
        const change = (value: number): void => {
          if (!Number.isFinite(value)) throw badAmount(name, "a finite number");
          current = value;
        };
        return {
          set: change,
          inc: (amount = 1) => change(Number.isFinite(amount) ? current + amount : Number.NaN),
          dec: (amount = 1) => change(Number.isFinite(amount) ? current - amount : Number.NaN),
          entry: () => [series, current],
        };
      },
      read !== undefined,
    );
    this.readers.push({ name, read: () => table.all().map((gauge) => gauge.entry()) });
    if (read !== undefined) this.readers.push({ name, read: () => readSamples(name, read()) });
    const metric = {
      set: (...call: Call) => table.get(labelsOf(call)).set(numberOf(call) ?? Number.NaN),
      inc: (...call: Call) => table.get(labelsOf(call)).inc(numberOf(call)),
      dec: (...call: Call) => table.get(labelsOf(call)).dec(numberOf(call)),
      labels: (labels) => table.get(labels),
    } satisfies Loose<BoundGauge>;
    return metric as Gauge<Label>;
  }

  private histogramTable(
    options: MetricOptions<string>,
    bounds: readonly number[],
  ): SeriesTable<BoundHistogram> {
    const { dirty } = this.options;
    return this.table(options, (series) => {
      const cell = new Cell(series, widthOf(bounds));
      dirty.mark(cell); // exported from the start, as 0
      return {
        observe(value) {
          if (!Number.isFinite(value)) throw badAmount(options.name, "a finite number");
          observe(cell.gains, 0, bounds, value);
          dirty.mark(cell);
        },
      };
    });
  }

  private table<T>(
    { name, labelNames = [] }: MetricOptions<string>,
    create: (series: string) => T,
    isRead = false,
  ): SeriesTable<T> {
    const { limits } = this.options;
    const table = new SeriesTable<T>({
      name,
      labelNames,
      limits,
      create: (labels: LabelList) => create(seriesOf(name, labels)),
    });
    if (labelNames.length === 0 && !isRead) table.get(noLabels);
    return table;
  }

  private register({
    name,
    help,
    type,
    bounds,
    across,
    labelNames = [],
  }: Family & MetricOptions<string>): void {
    const { report, isEnabled } = this.options;
    if (this.isClosed) {
      throw new FrameworkError(
        "METRICS_ALREADY_STARTED",
        `the metric ${name} was created after start; create every metric before start`,
      );
    }
    if (!isEnabled()) {
      report({
        code: "METRICS_NOT_ENABLED",
        message: `metrics: call enablePrometheus before creating ${name}`,
      });
    }
    const problem = problemOf({ name, help, type, labelNames, bounds }, this.families);
    if (problem !== null) report({ code: "METRICS_BAD_METRIC", message: problem });
    this.families.push({ name, help, type, ...(bounds && { bounds }), ...(across && { across }) });
  }
}

/** The implementation of a metric, without the types of its labels. */
type Loose<Bound> = {
  readonly [Method in keyof Bound]: (...call: Call) => void;
} & { readonly labels: (labels: LabelValues<string>) => Bound };

const hasLabels = (first: Call[number]): first is LabelValues<string> =>
  typeof first === "object" && first !== null;
const labelsOf = ([first]: Call): LabelValues<string> => (hasLabels(first) ? first : noLabels);
const numberOf = (call: Call): number | undefined => {
  const last = call[hasLabels(call[0]) ? 1 : 0];
  return typeof last === "object" ? Number.NaN : last;
};

const badAmount = (name: string, wanted: string): FrameworkError =>
  new FrameworkError("METRICS_BAD_AMOUNT", `${name} must be given ${wanted}`);

interface MetricDescription {
  readonly name: string;
  readonly help: string;
  readonly type: Family["type"];
  readonly labelNames: readonly string[];
  readonly bounds: readonly number[] | undefined;
}

const problemOf = (
  { name, help, type, labelNames, bounds }: MetricDescription,
  present: readonly Family[],
): string | null => {
  if (!isMetricName(name)) return `"${name}" is not a metric name; use letters, digits and underscores`;
  if (present.some((other) => other.name === name)) return `the metric ${name} already exists`;
  if (typeof help !== "string" || help === "") return `the metric ${name} needs a help text`;
  if ((type === "counter") !== name.endsWith("_total"))
    return `the metric ${name} must end in _total if and only if it is a counter`;
  if (/_(?:bucket|sum|count|created|info)$/.test(name))
    return `the metric ${name} must not end in a reserved suffix: _bucket, _count, _created, _info, _sum`;
  if (
    labelNames.length > 10 ||
    !labelNames.every(isLabelName) ||
    new Set(labelNames).size < labelNames.length
  )
    return `the metric ${name} may have at most 10 labels: unique, in letters, digits and underscores, and not le or quantile`;
  return bounds === undefined || areBounds(bounds)
    ? null
    : `the buckets of ${name} must be 1 to 60 numbers in ascending order`;
};
