import { parseSeries, type Reading } from "./family.ts";

/**
 * Removes metrics that an earlier reading also has, such as process metrics that a registry contains. Their values cannot be added, because both
 * may count the same events.
 */
export const withoutDuplicates = (
  readings: readonly Reading[],
  report: (metric: string) => void,
): readonly Reading[] => {
  const taken = new Set<string>();
  return readings.map((reading) => {
    const names = reading.families.map(({ name }) => name);
    const repeated = new Set(names.filter((name) => taken.has(name)));
    for (const name of names) taken.add(name);
    if (repeated.size === 0) return reading;
    if (reading.isFallback !== true) for (const name of repeated) report(name);
    return without(reading, repeated);
  });
};

const without = ({ families, totals, gauges }: Reading, names: ReadonlySet<string>): Reading => {
  const isKept = ([series]: readonly [series: string, ...rest: unknown[]]): boolean =>
    !names.has(parseSeries(series).family);
  return {
    families: families.filter(({ name }) => !names.has(name)),
    totals: totals.filter(isKept),
    gauges: gauges.filter(isKept),
  };
};
