import { latencyBounds, percentile, totalOf } from "../src/traffic/buckets.ts";
import { type Bar, barChart, lineChart } from "./chart.ts";
import { element } from "./element.ts";
import { formatNumber } from "./live-table.ts";
import type { Store } from "./store.ts";
import type { View } from "./view.ts";

/** Charts of the last two minutes: requests per second, latencies, event loop lag and heap. */
export const serviceCharts = (store: Store): View => {
  const requests = lineChart("Requests", "per second");
  const percentiles = lineChart("Latency", "ms");
  const latencies = barChart("Latencies of two minutes", "requests");
  const loopDelay = lineChart("Event loop lag", "ms");
  const heap = lineChart("Heap", "MiB");
  const charts = [requests, percentiles, latencies, loopDelay, heap];
  return {
    root: element("div", { class: "charts" }, ...charts.map(({ root }) => root)),
    update() {
      const { samples } = store.traffic;
      const line = (name: string, of: (sample: (typeof samples)[number]) => number | null) => ({
        name,
        points: samples.map(of),
      });
      requests.update([line("all", (each) => each.requests), line("failed", (each) => each.failed)]);
      percentiles.update([
        line("median", (each) => each.p50),
        line("95 %", (each) => each.p95),
        line("99 %", (each) => each.p99),
      ]);
      latencies.update(bucketsOf(latencyBounds, store.traffic.latencies(), "ms"));
      loopDelay.update([
        line("99 %", (each) => each.loopDelayMs),
        line("longest", (each) => each.maxLoopDelayMs),
      ]);
      const used = store.series.get("process_heap_used_bytes{}")?.points ?? [];
      heap.update([{ name: "used", points: used.map((bytes) => bytes / 2 ** 20) }]);
    },
  };
};

/** Returns bars for the buckets from the first to the last that is not empty, and a text with percentiles. */
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
          return { label: bound === undefined ? "more" : `${formatNumber(bound)} ${unit}`, value };
        });
  const words = ([0.5, 0.95, 0.99] as const).map((part) => {
    const value = percentile(bounds, counts, part);
    return `${part * 100} % within ${value === null ? "–" : formatNumber(value)} ${unit}`;
  });
  const total = totalOf(counts);
  return { bars, text: total === 0 ? "none yet" : `${formatNumber(total)}: ${words.join(", ")}` };
};
