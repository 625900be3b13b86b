/** One value of a metric, identified by its labels. */
export interface Sample {
  /** The current value. */
  readonly value: number;
  /** Values of a small, fixed set, never a path, an id or other client input. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A metric that a feature publishes about itself. Reading it must be cheap and without side effects. */
export interface Metric {
  /** Snake case with its unit, without the namespace, counters ending in `_total`: `cache_hits_total`. */
  readonly name: string;
  /** One sentence that describes the value. */
  readonly help: string;
  /** A counter only grows while its process lives; a gauge rises and falls. */
  readonly type: "counter" | "gauge";
  /** How the values of several workers are aggregated. @default "sum" */
  readonly across?: "sum" | "max";
  /** Returns the current value, or one sample per set of labels. */
  read(): number | readonly Sample[];
}

/** Returns the mistake in the name of a metric; `null` for a valid name that is not taken. */
export const metricNameProblem = (name: string, taken: ReadonlySet<string>): string | null => {
  if (!/^[a-z][a-z0-9_]{0,99}$/.test(name)) {
    return `the metric "${name}" must be named in snake case, with at most 100 characters`;
  }
  if (/_(?:bucket|sum|count|created|info)$/.test(name)) {
    return `the metric "${name}" must not end in a reserved suffix: _bucket, _count, _created, _info, _sum`;
  }
  return taken.has(name) ? `there is a metric "${name}" already` : null;
};

/** Returns the mistake in a counter or gauge other than its name; `null` for a valid one. */
export const metricProblem = ({ name, type }: Metric): string | null =>
  (type === "counter") === name.endsWith("_total")
    ? null
    : `the metric "${name}" must end in _total if and only if it is a counter`;
