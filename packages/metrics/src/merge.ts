import type { Total } from "@framework/core/feature";
import { widthOf } from "./buckets.ts";
import type { Collected } from "./collector.ts";
import { type Across, type Family, type GaugeEntry, type LabelList, parseSeries } from "./family.ts";
import { REQUESTS } from "./request-meter.ts";

/** A metric and all its series, over all workers. */
export interface MergedMetric {
  readonly family: Family;
  readonly series: readonly Series[];
}

/** One series: a counter and a gauge have one number, a histogram its buckets' own counts and the sum. */
export interface Series {
  readonly labels: LabelList;
  readonly numbers: readonly number[];
  /** Bounds of its own, in place of the family's. */
  readonly bounds?: readonly number[] | null;
}

/** What the request metrics are called, and how their buckets are bounded. */
export interface RequestNames {
  /** `framework_http`. */
  readonly prefix: string;
  readonly durationBuckets: readonly number[];
  readonly sizeBuckets: readonly number[];
}

/** Names of the request histograms, without their prefix. */
export const REQUEST_HISTOGRAMS = [
  "request_duration_seconds",
  "response_size_bytes",
  "request_size_bytes",
] as const;

/** Every metric with its series, the request metrics first; series of metrics that this worker does not know are left out. */
export const mergeMetrics = (
  { families, totals, gauges }: Collected,
  names: RequestNames,
): MergedMetric[] => {
  const byFamily = new Map<string, Series[]>();
  for (const [series, numbers] of [...totals, ...mergeGauges(gauges, families)]) {
    const { family, ...name } = parseSeries(series);
    const present = byFamily.get(family);
    if (present === undefined) byFamily.set(family, [{ ...name, numbers }]);
    else present.push({ ...name, numbers });
  }
  const known = new Map(families.map((family) => [family.name, family])); // two sources with one name would be two of a kind
  const others = [...known.values()].map((family) => ({ family, series: byFamily.get(family.name) ?? [] }));
  return [
    ...requestMetrics(byFamily.get(REQUESTS) ?? [], names),
    ...others.filter(({ series }) => series.length > 0),
  ];
};

/** The request metrics, each a part of the numbers that the meter counts together. */
const requestMetrics = (
  counted: readonly Series[],
  { prefix, durationBuckets, sizeBuckets }: RequestNames,
): MergedMetric[] => {
  const histogram = (
    name: (typeof REQUEST_HISTOGRAMS)[number],
    help: string,
    bounds: readonly number[],
    offset: number,
  ): MergedMetric => ({
    family: { name: `${prefix}_${name}`, help, type: "histogram", bounds },
    series: counted.map(({ labels, numbers }) => ({
      labels,
      numbers: numbers.slice(offset, offset + widthOf(bounds)),
    })),
  });
  const replies = widthOf(durationBuckets);
  const requests = replies + widthOf(sizeBuckets);
  return [
    {
      family: { name: `${prefix}_requests_total`, help: "Requests answered.", type: "counter" },
      series: requestTotals(counted, durationBuckets),
    },
    histogram("request_duration_seconds", "Time until the reply was made.", durationBuckets, 0),
    histogram("response_size_bytes", "Bytes of the replies' bodies.", sizeBuckets, replies),
    histogram("request_size_bytes", "Bytes of the requests' bodies.", sizeBuckets, requests),
  ];
};

/** Requests by method and status: every one of them has a duration. */
const requestTotals = (counted: readonly Series[], bounds: readonly number[]): Series[] => {
  const totals = new Map<string, { readonly labels: LabelList; count: number }>();
  for (const { labels, numbers } of counted) {
    const [, method = "", , , , status = ""] = labels;
    const key = `${method} ${status}`;
    const total = totals.get(key) ?? { labels: ["method", method, "status", status], count: 0 };
    totals.set(key, total);
    for (let index = 0; index <= bounds.length; index++) total.count += numbers[index] ?? 0;
  }
  return [...totals.values()].map(({ labels, count }) => ({ labels, numbers: [count] }));
};

const mergeGauges = (workers: readonly (readonly GaugeEntry[])[], families: readonly Family[]): Total[] => {
  const values = new Map<string, number[]>();
  for (const [series, value] of workers.flat()) {
    const present = values.get(series);
    if (present === undefined) values.set(series, [value]);
    else present.push(value);
  }
  const across = new Map(families.map((family) => [family.name, family.across ?? "sum"]));
  return [...values].map(([series, numbers]) => {
    const { family } = parseSeries(series);
    return [series, [joined(numbers, across.get(family) ?? "sum")]];
  });
};

const joined = (numbers: readonly number[], across: Across): number => {
  if (across === "max") return Math.max(...numbers);
  if (across === "min") return Math.min(...numbers);
  const sum = numbers.reduce((total, number) => total + number, 0);
  return across === "average" ? sum / numbers.length : sum;
};
