/** One value of a metric, with the labels that tell it from the others. */
export interface Sample {
  readonly value: number;
  /** Values of a small, fixed set: never a path, an id or anything else that clients choose. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A metric that a feature publishes about itself. Reading it must be cheap and without side effects. */
export interface Metric {
  /** Snake case with its unit, without the namespace, counters ending in `_total`: `cache_hits_total`. */
  readonly name: string;
  /** One sentence on what is counted. */
  readonly help: string;
  /** A counter only grows in a process's life; a gauge goes up and down. Over workers both are summed, unless `across` says `max`. */
  readonly type: "counter" | "gauge";
  /** How values of several workers become one. @default "sum" */
  readonly across?: "sum" | "max";
  /** The value now, or one for each set of labels. */
  read(): number | readonly Sample[];
}

/** What is wrong with the name of a metric beside those that are taken; `null` when nothing is. */
export const metricNameProblem = (name: string, taken: ReadonlySet<string>): string | null => {
  if (!/^[a-z][a-z0-9_]{0,99}$/.test(name)) {
    return `the metric "${name}" must be named in snake case, with 100 characters at most`;
  }
  if (/_(?:bucket|sum|count|created|info)$/.test(name)) {
    return `the metric "${name}" must not end like a part of another: _bucket, _count, _created, _info, _sum`;
  }
  return taken.has(name) ? `there is a metric "${name}" already` : null;
};

/** What else is wrong with a counter or gauge; `null` when nothing is. */
export const metricProblem = ({ name, type }: Metric): string | null =>
  (type === "counter") === name.endsWith("_total")
    ? null
    : `the metric "${name}" must end in _total if it is a counter, and only then`;
