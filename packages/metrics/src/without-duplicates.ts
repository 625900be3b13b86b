import { parseSeries, type Reading } from "./family.ts";

/**
 * Removes metrics that an earlier reading also has, such as process metrics that a registry contains. Their values cannot be added, because both
 * may count the same events. While a source cannot be read, a later source shows the metrics of both, but the counts of the later source are removed:
 * they may be of events that the next reading of the first source includes.
 */
export const withoutDuplicates = (
  readings: readonly Reading[],
  report: (metric: string) => void,
): readonly Reading[] => {
  const taken = new Set<string>();
  const missing = new Set<string>();
  return readings.map((reading) => {
    const names = reading.families.map(({ name }) => name);
    const repeated = new Set(names.filter((name) => taken.has(name)));
    for (const name of names) taken.add(name);
    if (reading.isFallback !== true) for (const name of repeated) report(name);
    const counted = withoutTotals(without(reading, repeated), missing);
    for (const { name } of reading.missing ?? []) missing.add(name);
    return counted;
  });
};

type Entry = readonly [series: string, ...rest: unknown[]];

const isOutside =
  (names: ReadonlySet<string>) =>
  ([series]: Entry): boolean =>
    !names.has(parseSeries(series).family);

const without = (reading: Reading, names: ReadonlySet<string>): Reading => {
  if (names.size === 0) return reading;
  const { families, totals, gauges } = reading;
  return {
    families: families.filter(({ name }) => !names.has(name)),
    totals: totals.filter(isOutside(names)),
    gauges: gauges.filter(isOutside(names)),
  };
};

const withoutTotals = (reading: Reading, names: ReadonlySet<string>): Reading =>
  names.size === 0 ? reading : { ...reading, totals: reading.totals.filter(isOutside(names)) };
