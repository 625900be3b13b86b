import type { Sample } from "@framework/core/feature";
import { labelValue, seriesOf } from "./family.ts";

/** Returns the values of a metric by series; of samples with the same labels the last is used. */
export const readSamples = (
  family: string,
  value: number | readonly Sample[],
): [series: string, value: number][] => {
  if (typeof value === "number") return [[seriesOf(family, []), value]];
  const bySeries = new Map<string, number>();
  for (const { labels, value: number } of value) {
    const names = Object.keys(labels).sort();
    const list = names.flatMap((name) => [name, labelValue(labels[name] ?? "")]);
    bySeries.set(seriesOf(family, list), number);
  }
  return [...bySeries];
};
