import type { Sample } from "@framework/core/feature";
import { labelValue, seriesOf } from "./family.ts";

/** What a figure says at one moment, by series; samples with the same labels are one, the last. */
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
