import type { Logger, Measure } from "@framework/core";
import type { Family, GaugeEntry, Reading } from "./family.ts";
import { readSamples } from "./samples.ts";

/** What a feature's figure is called for Prometheus. */
export const measureName = (namespace: string, { name }: Measure): string => `${namespace}_${name}`;

/** What the features of an app say at this moment; one that fails says nothing, and does not keep the others from speaking. */
export const readMeasures = (measures: readonly Measure[], namespace: string, log: Logger): Reading => {
  const families: Family[] = [];
  const totals: [string, number[]][] = [];
  const gauges: GaugeEntry[] = [];
  for (const measure of measures) {
    const { help, type, across = "sum" } = measure;
    const name = measureName(namespace, measure);
    families.push({ name, help, type, across });
    try {
      const samples = readSamples(name, measure.read());
      if (type === "gauge") gauges.push(...samples);
      else for (const [series, value] of samples) totals.push([series, [value]]);
    } catch (error) {
      log.error(`the measure ${name} could not be read`, { error });
    }
  }
  return { families, totals, gauges };
};
