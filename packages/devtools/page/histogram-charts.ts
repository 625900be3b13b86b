import type { HistogramReport } from "../src/traffic/histogram-recorder.ts";
import { addCounts } from "../src/traffic/buckets.ts";
import { barChart, type Chart } from "./chart.ts";
import { element } from "./element.ts";
import { bucketsOf } from "./service-charts.ts";
import type { Store } from "./store.ts";
import type { View } from "./view.ts";

type Bars = Chart<ReturnType<typeof bucketsOf>>;

/** The histograms of features of all workers since recording started, one chart per set of labels. */
export const histogramCharts = (store: Store, isWanted: (name: string) => boolean): View => {
  const charts = new Map<string, Bars>();
  const container = element("div", { class: "charts" });
  return {
    root: container,
    update() {
      const wanted = [...summed(store.histograms())].filter(([name]) => isWanted(name));
      const names = new Set(wanted.map(([name]) => name));
      for (const [name, { root }] of charts)
        if (!names.has(name)) {
          root.remove();
          charts.delete(name);
        }
      for (const [name, { bounds, counts }] of wanted) {
        const chart = charts.get(name) ?? barChart(name, "");
        if (!charts.has(name)) container.append(chart.root);
        charts.set(name, chart);
        chart.update(bucketsOf(bounds, counts, unitOf(name)));
      }
    },
  };
};

interface Summed {
  readonly bounds: readonly number[];
  readonly counts: number[];
}

const summed = (reports: readonly (readonly HistogramReport[])[]): ReadonlyMap<string, Summed> => {
  const sums = new Map<string, Summed>();
  for (const { name, bounds, series } of reports.flat())
    for (const [labels, counts] of series) {
      const key = labels === "" ? name : `${name} ${labels}`;
      const known = sums.get(key);
      if (known === undefined) sums.set(key, { bounds, counts: [...counts] });
      else addCounts(known.counts, counts);
    }
  return sums;
};

/** Returns the unit at the end of a histogram's name. */
const unitOf = (key: string): string => {
  const [name = ""] = key.split(" ", 1);
  const unit = name.slice(name.lastIndexOf("_") + 1);
  return { seconds: "s", bytes: "bytes" }[unit] ?? "";
};
