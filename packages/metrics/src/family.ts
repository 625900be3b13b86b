/** Aggregation of the values of several workers. */
export type Across = "sum" | "max" | "min" | "average";

/** A metric without its values. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  /** Upper bounds of a histogram's buckets. */
  readonly bounds?: readonly number[];
  /** Aggregation of a gauge. @default "sum" */
  readonly across?: Across;
}

/** Labels in order: name, value, name, value … */
export type LabelList = readonly string[];

/** Values of a source at one time. */
export interface Reading {
  /** Definitions of the metrics. */
  readonly families: readonly Family[];
  /** Totals of this process, by series. */
  readonly totals: readonly (readonly [series: string, numbers: readonly number[]])[];
  /** Current values, by series. */
  readonly gauges: readonly GaugeEntry[];
  /** Metrics of a source that could not be read this time. @default none */
  readonly missing?: readonly Family[];
  /** Whether metrics that an earlier source also has are left out without a warning. @default false */
  readonly isFallback?: boolean;
}

/** A source of values other than `DirtyCells`. */
export type Source = () => Reading | Promise<Reading>;

/** One gauge of one process. */
export type GaugeEntry = readonly [series: string, value: number];

/** A series, parsed from its name in the totals. */
export interface SeriesName {
  readonly family: string;
  readonly labels: LabelList;
  /** Upper bounds of its buckets, for series whose bounds only workers with observations know. */
  readonly bounds: readonly number[] | null;
}

/** Returns the name of a series from its family, labels and own bounds; `parseSeries` is the inverse. */
export const seriesOf = (
  family: string,
  labels: LabelList,
  bounds: readonly number[] | null = null,
): string => JSON.stringify([bounds === null ? family : `${family}|${bounds.join()}`, ...labels]);

export const parseSeries = (series: string): SeriesName => {
  const [head = "", ...labels] = JSON.parse(series) as string[];
  const [family = "", bounds] = head.split("|");
  return {
    family,
    labels,
    bounds: bounds === undefined ? null : bounds.split(",").filter(Boolean).map(Number),
  };
};

/** Maximum length of a label's value. */
const MAX_LABEL = 256;

/** Returns a label's value truncated and well-formed: otherwise, values that differ only in lone surrogates would be separate series with the same text. */
export const labelValue = (value: string | number | boolean): string => {
  const text = String(value).toWellFormed();
  return text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL - 1).toWellFormed()}…`;
};

export const isMetricName = (value: unknown): boolean =>
  typeof value === "string" && /^[a-zA-Z_][a-zA-Z0-9_]{0,199}$/.test(value);

/** Whether a program may use a label name: the format reserves `le`, `quantile` and two leading underscores. */
export const isLabelName = (value: unknown): boolean =>
  typeof value === "string" &&
  /^(?!__)[a-zA-Z_][a-zA-Z0-9_]{0,99}$/.test(value) &&
  value !== "le" &&
  value !== "quantile";
