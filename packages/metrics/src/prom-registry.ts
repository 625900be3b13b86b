import { type Across, type Family, type GaugeEntry, labelValue, type Reading, seriesOf } from "./family.ts";

/** The part of a prom-client registry that this package uses. */
export interface PromRegistry {
  /** Returns all metrics of the registry. */
  getMetricsAsJSON(): Promise<readonly PromMetric[]>;
}

/** A metric of prom-client. */
export interface PromMetric {
  /** Name of the metric. */
  readonly name: string;
  /** Its help text. */
  readonly help: string;
  /** Its type. */
  readonly type: string | number;
  /** Aggregation of the workers' values. */
  readonly aggregator?: string;
  /** Its samples. */
  readonly values?: readonly PromValue[];
}

/** One sample of a metric. */
export interface PromValue {
  /** The value. */
  readonly value: number;
  /** The labels with their values. */
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  /** Name of the sample, where it differs from the metric's. */
  readonly metricName?: string;
}

/** Reads a registry of prom-client. Series that become equal when their labels are truncated are summed. */
export const readRegistry = async (registry: PromRegistry): Promise<Reading> => {
  const families: Family[] = [];
  const counts = new Map<string, number>();
  const distributions: [string, number[]][] = [];
  const gauges: GaugeEntry[] = [];
  for (const metric of await registry.getMetricsAsJSON()) {
    const { name, help, values = [] } = metric;
    if (metric.type === "counter") {
      families.push({ name, help, type: "counter" });
      for (const { labels, value } of values) {
        const series = seriesOf(name, pairs(labels));
        counts.set(series, (counts.get(series) ?? 0) + value);
      }
    } else if (metric.type === "histogram" || metric.type === "summary") {
      families.push({ name, help, type: metric.type });
      distributions.push(...distribution(metric));
    } else if (metric.type === "gauge" && !name.endsWith("_total")) {
      // Linters and OpenMetrics reject a gauge with a counter's name (`nodejs_active_resources_total`).
      families.push({ name, help, type: "gauge", across: acrossOf(metric) });
      for (const { labels, value } of values) {
        if (!isUnset(name, value)) gauges.push([seriesOf(name, pairs(labels)), value]);
      }
    }
  }
  const totals = [...counts].map(([series, value]): [string, number[]] => [series, [value]]);
  return { families, totals: [...totals, ...distributions], gauges };
};

/**
 * Converts histograms and summaries to non-cumulative buckets and the sum. Quantiles of several workers cannot be added, so a summary keeps only count
 * and sum. The bounds are included, because the scraped worker may have no observations and not know them.
 */
const distribution = ({ name, values = [] }: PromMetric): [string, number[]][] => {
  const finite = values.map(({ labels }) => Number(labels["le"])).filter(Number.isFinite);
  const bounds = [...new Set(finite)].sort((a, b) => a - b);
  const bySeries = new Map<string, number[]>();
  for (const { labels, value, metricName = name } of values) {
    const series = seriesOf(name, pairs(labels), bounds);
    const numbers = bySeries.get(series) ?? Array.from({ length: bounds.length + 2 }, () => 0);
    bySeries.set(series, numbers);
    const { le } = labels;
    const add = (index: number): void => void (numbers[index] = (numbers[index] ?? 0) + value);
    if (metricName === `${name}_sum`) add(bounds.length + 1);
    else if (metricName === `${name}_count`) add(bounds.length);
    else if (le !== undefined && le !== "+Inf") add(bounds.indexOf(Number(le)));
  }
  for (const numbers of bySeries.values()) uncumulate(numbers, bounds.length);
  return [...bySeries];
};

/** Converts cumulative counts to the count of each bucket. */
const uncumulate = (numbers: number[], last: number): void => {
  for (let index = last; index > 0; index--) {
    numbers[index] = (numbers[index] ?? 0) - (numbers[index - 1] ?? 0);
  }
};

const pairs = (labels: PromValue["labels"]): string[] =>
  Object.keys(labels)
    .filter((name) => name !== "le" && name !== "quantile")
    .sort()
    .flatMap((name) => [name, labelValue(labels[name] ?? "")]);

/** Whether the minimum is the initial value: prom-client reports a huge number before the first delay. */
const isUnset = (name: string, value: number): boolean =>
  name === "nodejs_eventloop_lag_min_seconds" && value > 1e6;

/** Returns prom-client's aggregation, except `min` for the start time and the minimum event loop delay, and `max` for other such delays and for `first`. */
const acrossOf = ({ name, aggregator }: PromMetric): Across => {
  if (name === "process_start_time_seconds" || name === "nodejs_eventloop_lag_min_seconds") return "min";
  if (name.startsWith("nodejs_eventloop_lag_") || aggregator === "first") return "max";
  return aggregator === "max" || aggregator === "min" || aggregator === "average" ? aggregator : "sum";
};

let sharedRegistry: Promise<PromRegistry> | undefined;

/**
 * prom-client reads these with the undocumented `process._getActiveHandles` and `_getActiveRequests`, in which Node aborts if the object of a handle
 * was collected before the handle was closed. `nodejs_active_resources` counts the same without accessing the objects.
 */
const unsafeNames = [
  "nodejs_active_handles",
  "nodejs_active_handles_total",
  "nodejs_active_requests",
  "nodejs_active_requests_total",
];

/** prom-client's metrics of this process, created once: its observers cannot be stopped. */
export const processRegistry = (): Promise<PromRegistry> => {
  sharedRegistry ??= import("prom-client").then(({ collectDefaultMetrics, Registry }) => {
    const register = new Registry();
    collectDefaultMetrics({ register });
    for (const name of unsafeNames) register.removeSingleMetric(name);
    return register as PromRegistry;
  });
  return sharedRegistry;
};
