import { parseSeries, type Reading } from "./family.ts";

/**
 * Leaves out the metrics that an earlier reading has, such as the process metrics beside a registry with its own. Their values cannot be added: both may
 * count the same.
 */
export const withoutRepeats = (
  readings: readonly Reading[],
  report: (metric: string) => void,
): readonly Reading[] => {
  const taken = new Set<string>();
  return readings.map((reading) => {
    const names = reading.families.map(({ name }) => name);
    const repeated = new Set(names.filter((name) => taken.has(name)));
    for (const name of names) taken.add(name);
    if (repeated.size === 0) return reading;
    if (reading.givesWay !== true) for (const name of repeated) report(name);
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
