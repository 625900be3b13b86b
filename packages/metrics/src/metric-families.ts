import type { Logger } from "@framework/core";
import type { Metric } from "@framework/core/feature";
import type { Family, GaugeEntry, Reading } from "./family.ts";
import { readSamples } from "./samples.ts";

/** Returns the Prometheus name of a feature's metric. */
export const metricName = (namespace: string, { name }: { readonly name: string }): string =>
  `${namespace}_${name}`;

/** Reads the metrics of an app's features; a failure is logged and yields no values. */
export const readMetrics = (metrics: readonly Metric[], namespace: string, log: Logger): Reading => {
  const families: Family[] = [];
  const totals: [string, number[]][] = [];
  const gauges: GaugeEntry[] = [];
  for (const metric of metrics) {
    const { help, type, across = "sum" } = metric;
    const name = metricName(namespace, metric);
    families.push({ name, help, type, across });
    try {
      const samples = readSamples(name, metric.read());
      if (type === "gauge") gauges.push(...samples);
      else for (const [series, value] of samples) totals.push([series, [value]]);
    } catch (error) {
      log.error(`the metric ${name} could not be read`, { error });
    }
  }
  return { families, totals, gauges };
};
