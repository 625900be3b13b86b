import type { Sample } from "@framework/core/feature";
import { labelValue, seriesOf } from "./family.ts";

/** Returns the values of a metric by series; of samples with the same labels the last is used. */
export const readSamples = (
  family: string,
  value: number | readonly Sample[],
): [series: string, value: number][] => {
  if (typeof value === "number") return [[seriesOf(family, []), value]];
  return value.map(({ labels, value: number }) => {
    const names = Object.keys(labels).sort();
    return [
      seriesOf(
        family,
        names.flatMap((name) => [name, labelValue(labels[name] ?? "")]),
      ),
      number,
    ];
  });
};
