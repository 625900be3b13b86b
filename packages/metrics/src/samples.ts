import { FrameworkError } from "@framework/core";
import { describeInvalid, isPromise, type Sample } from "@framework/core/feature";
import { isLabelName, labelValue, seriesOf } from "./family.ts";

/** Returns the values of a metric by series; of samples with the same labels the last is used. @throws METRICS_BAD_LABELS: a scraper would reject all metrics */
export const readSamples = (
  family: string,
  value: number | readonly Sample[],
): [series: string, value: number][] => {
  if (typeof value === "number") return [[seriesOf(family, []), value]];
  if (isPromise(value as unknown))
    throw new TypeError(`read of ${family} must return a number or samples, not ${describeInvalid(value)}`);
  const bySeries = new Map<string, number>();
  for (const { labels, value: number } of value) {
    const names = Object.keys(labels).sort();
    const malformed = names.find((name) => !isLabelName(name));
    if (malformed !== undefined)
      throw new FrameworkError(
        "METRICS_BAD_LABELS",
        `a sample of ${family} has the label ${JSON.stringify(malformed)}; use letters, digits and underscores, and not le or quantile`,
      );
    const list = names.flatMap((name) => [name, labelValue(labels[name] ?? "")]);
    bySeries.set(seriesOf(family, list), number);
  }
  return [...bySeries];
};
