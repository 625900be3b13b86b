import { parseSeries, type Reading } from "./family.ts";

/**
 * Leaves out metrics that an earlier reading also has, such as process metrics if a registry has them too. Their values cannot be added: both may
 * count the same.
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
  const stays = ([series]: readonly [series: string, ...rest: unknown[]]): boolean =>
    !names.has(parseSeries(series).family);
  return {
    families: families.filter(({ name }) => !names.has(name)),
    totals: totals.filter(stays),
    gauges: gauges.filter(stays),
  };
};
