/** How the values of a gauge in several workers become one. */
export type Across = "sum" | "max" | "min" | "average";

/** What a metric is, apart from its values. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  /** Upper bounds of a histogram's buckets. */
  readonly bounds?: readonly number[];
  /** For a gauge. @default "sum" */
  readonly across?: Across;
}

/** Labels in their order: name, value, name, value … */
export type LabelList = readonly string[];

/** Values of a source at one moment. */
export interface Reading {
  /** What the metrics are. */
  readonly families: readonly Family[];
  /** Totals of this process so far, by series. */
  readonly totals: readonly (readonly [series: string, numbers: readonly number[]])[];
  /** Values at this moment, by series. */
  readonly gauges: readonly GaugeEntry[];
}

/** One gauge of one process. */
export type GaugeEntry = readonly [series: string, value: number];

/** A series as its name in the totals tells it. */
export interface SeriesName {
  readonly family: string;
  readonly labels: LabelList;
  /** Upper bounds of its buckets, where only who observed something knows them. */
  readonly bounds: readonly number[] | null;
}

/** Name of a series: its family and its labels, and its bounds if it brings them along; readable again with `parseSeries`. */
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

/** Most characters of a label's value. */
const MAX_LABEL = 256;

/** A label's value as it is kept: within bounds, and without halves of characters, which would all look alike when written. */
export const labelValue = (value: string | number | boolean): string => {
  const text = String(value).toWellFormed();
  return text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL - 1).toWellFormed()}…`;
};

export const isMetricName = (value: unknown): boolean =>
  typeof value === "string" && /^[a-zA-Z_][a-zA-Z0-9_]{0,199}$/.test(value);

/** Label names that a program may choose: `le` and `quantile` are the format's own, and so is what begins with two underscores. */
export const isLabelName = (value: unknown): boolean =>
  typeof value === "string" &&
  /^(?!__)[a-zA-Z_][a-zA-Z0-9_]{0,99}$/.test(value) &&
  value !== "le" &&
  value !== "quantile";
