import { setImmediate } from "node:timers/promises";
import type { Total } from "@framework/core/feature";
import { widthOf } from "./buckets.ts";
import type { Collected } from "./collector.ts";
import { type Across, type Family, type GaugeEntry, type LabelList, parseSeries } from "./family.ts";
import { REQUESTS } from "./request-meter.ts";

/** A metric with its series of all workers. */
export interface MergedMetric {
  readonly family: Family;
  readonly series: readonly Series[];
}

/** One series: one number for a counter or gauge; non-cumulative buckets and the sum for a histogram. */
export interface Series {
  readonly labels: LabelList;
  readonly numbers: readonly number[];
  /** Index of its first number. @default 0 */
  readonly offset?: number;
  /** Own bounds. @default the family's */
  readonly bounds?: readonly number[] | null;
}

/** Names and buckets of the request metrics. */
export interface RequestNames {
  /** `framework_http`. */
  readonly prefix: string;
  readonly durationBuckets: readonly number[];
  readonly sizeBuckets: readonly number[];
}

/** Names of the request histograms without prefix. */
export const requestHistograms = [
  "request_duration_seconds",
  "response_size_bytes",
  "request_size_bytes",
] as const;

/** Series that are merged in one turn of the event loop. */
const SLICE = 500;

/** Returns every metric with its series, request metrics first; omits series of metrics that this worker does not know. */
export const mergeMetrics = async (
  { families, totals, gauges }: Collected,
  names: RequestNames,
): Promise<MergedMetric[]> => {
  const byFamily = new Map<string, Series[]>();
  let merged = 0;
  for (const [series, numbers] of [...totals, ...mergeGauges(gauges, families)]) {
    if (++merged % SLICE === 0) await setImmediate(); // requests are served in between
    const { family, ...name } = parseSeries(series);
    const present = byFamily.get(family);
    if (present === undefined) byFamily.set(family, [{ ...name, numbers }]);
    else present.push({ ...name, numbers });
  }
  const known = new Map(families.map((family) => [family.name, family])); // two sources of one name share a family
  const others = [...known.values()].map((family) => ({ family, series: byFamily.get(family.name) ?? [] }));
  return [
    ...requestMetrics(byFamily.get(REQUESTS) ?? [], names),
    ...others.filter(({ series }) => series.length > 0),
  ];
};

/** Splits the meter's list of numbers into the request metrics. */
const requestMetrics = (
  counted: readonly Series[],
  { prefix, durationBuckets, sizeBuckets }: RequestNames,
): MergedMetric[] => {
  const histogram = (
    name: (typeof requestHistograms)[number],
    help: string,
    bounds: readonly number[],
    offset: number,
  ): MergedMetric => ({
    family: { name: `${prefix}_${name}`, help, type: "histogram", bounds },
    series: counted.map(({ labels, numbers }) => ({
      labels,
      numbers,
      offset,
    })),
  });
  const replies = widthOf(durationBuckets);
  const requests = replies + widthOf(sizeBuckets);
  return [
    {
      family: { name: `${prefix}_requests_total`, help: "Requests answered.", type: "counter" },
      series: requestTotals(counted, durationBuckets),
    },
    histogram("request_duration_seconds", "Time until the reply was created.", durationBuckets, 0),
    histogram("response_size_bytes", "Bytes of the replies' bodies.", sizeBuckets, replies),
    histogram("request_size_bytes", "Bytes of the requests' bodies.", sizeBuckets, requests),
  ];
};

/** Counts requests by method and status: every request has a duration. */
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
