import { widthOf } from "./buckets.ts";
import type { ServiceValues } from "./collector.ts";
import { type Across, type Family, type GaugeEntry, type LabelList, parseSeries } from "./family.ts";
import { inSlices } from "./in-turns.ts";
import { REQUESTS } from "./request-meter.ts";

/** A metric with its series of all workers. */
export interface MergedMetric {
  readonly family: Family;
  readonly series: readonly Series[];
  /** Index of each series' first number. @default 0 */
  readonly offset?: number;
}

/** One series: one number for a counter or gauge; non-cumulative buckets and the sum for a histogram. */
export interface Series {
  readonly labels: LabelList;
  readonly numbers: readonly number[];
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

/** Returns the request metrics, then every other metric that has series; omits series whose metric this worker does not have. */
export const mergeMetrics = async (
  { families, totals, gauges }: ServiceValues,
  names: RequestNames,
): Promise<MergedMetric[]> => {
  const byFamily = new Map<string, Series[]>();
  const add = (series: string, numbersOf: (family: string) => readonly number[]): void => {
    const { family, ...name } = parseSeries(series);
    const one = { ...name, numbers: numbersOf(family) };
    const present = byFamily.get(family);
    if (present === undefined) byFamily.set(family, [one]);
    else present.push(one);
  };
  for await (const slice of inSlices(totals)) {
    for (const [series, numbers] of slice) add(series, () => numbers);
  }
  const across = new Map(families.map((family) => [family.name, family.across ?? "sum"]));
  for await (const slice of inSlices([...(await gaugesOf(gauges))])) {
    for (const [series, numbers] of slice)
      add(series, (family) => [aggregate(numbers, across.get(family) ?? "sum")]);
  }
  const others = families.map((family) => ({ family, series: byFamily.get(family.name) ?? [] }));
  return [
    ...requestMetrics(byFamily.get(REQUESTS) ?? [], names),
    ...others.filter(({ series }) => series.length > 0),
  ];
};

/** Returns the families of the request metrics. */
export const requestFamilies = (names: RequestNames): readonly Family[] =>
  requestMetrics([], names).map(({ family }) => family);

/** Splits the meter's list of numbers into the request metrics. */
const requestMetrics = (
  counted: readonly Series[],
  { prefix, durationBuckets, sizeBuckets }: RequestNames,
): MergedMetric[] => {
  const histogram = (
    name: string,
    help: string,
    bounds: readonly number[],
    offset: number,
  ): MergedMetric => ({
    family: { name: `${prefix}_${name}`, help, type: "histogram", bounds },
    series: counted,
    offset,
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

/** Returns the values of the workers by series. */
const gaugesOf = async (
  workers: readonly (readonly GaugeEntry[])[],
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const values = new Map<string, number[]>();
  for await (const slice of inSlices(workers.flat())) {
    for (const [series, value] of slice) {
      const present = values.get(series);
      if (present === undefined) values.set(series, [value]);
      else present.push(value);
    }
  }
  return values;
};

const aggregate = (numbers: readonly number[], across: Across): number => {
  if (across === "max") return Math.max(...numbers);
  if (across === "min") return Math.min(...numbers);
  const sum = numbers.reduce((total, number) => total + number, 0);
  return across === "average" ? sum / numbers.length : sum;
};
