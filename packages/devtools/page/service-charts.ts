import { latencyBounds, percentile, totalOf } from "../src/traffic/buckets.ts";
import { type Bar, barChart, lineChart } from "./chart.ts";
import { element } from "./element.ts";
import { told } from "./live-table.ts";
import type { Store } from "./store.ts";
import type { View } from "./view.ts";

/** What the service does: requests a second, latencies, the event loop and the heap of the last two minutes. */
export const serviceCharts = (store: Store): View => {
  const requests = lineChart("Requests", "a second");
  const percentiles = lineChart("Latency", "ms");
  const latencies = barChart("Latencies of two minutes", "requests");
  const late = lineChart("Event loop lag", "ms");
  const heap = lineChart("Heap", "MiB");
  const charts = [requests, percentiles, latencies, late, heap];
  return {
    root: element("div", { class: "charts" }, ...charts.map(({ root }) => root)),
    update() {
      const { moments } = store.traffic;
      const line = (name: string, of: (moment: (typeof moments)[number]) => number | null) => ({
        name,
        points: moments.map(of),
      });
      requests.update([line("all", (each) => each.requests), line("failed", (each) => each.failed)]);
      percentiles.update([
        line("median", (each) => each.p50),
        line("95 %", (each) => each.p95),
        line("99 %", (each) => each.p99),
      ]);
      latencies.update(bucketsOf(latencyBounds, store.traffic.latencies(), "ms"));
      late.update([line("99 %", (each) => each.late), line("longest", (each) => each.lateMost)]);
      const used = store.series.get("process_heap_used_bytes{}")?.points ?? [];
      heap.update([{ name: "used", points: used.map((bytes) => bytes / 2 ** 20) }]);
    },
  };
};

/** Bars of the buckets from the first to the last that is not empty, and their percentiles in words. */
export const bucketsOf = (
  bounds: readonly number[],
  counts: readonly number[],
  unit: string,
): { readonly bars: readonly Bar[]; readonly text: string } => {
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  const bars =
    first < 0
      ? []
      : counts.slice(first, last + 1).map((value, at) => {
          const bound = bounds[first + at];
          return { label: bound === undefined ? "more" : `${told(bound)} ${unit}`, value };
        });
  const words = ([0.5, 0.95, 0.99] as const).map((part) => {
    const value = percentile(bounds, counts, part);
    return `${part * 100} % within ${value === null ? "–" : told(value)} ${unit}`;
  });
  const total = totalOf(counts);
  return { bars, text: total === 0 ? "none yet" : `${told(total)}: ${words.join(", ")}` };
};
