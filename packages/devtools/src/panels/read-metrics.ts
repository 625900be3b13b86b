import { performance } from "node:perf_hooks";
import type { Metric } from "@framework/core/feature";
import type { MetricReport } from "../messages.ts";

const MAX_METRICS = 200;
const MAX_SAMPLES = 20;

/** Returns a function that reads the metrics of the features and of this process. Metrics that fail are skipped. */
export const metricsReader = (ofFeatures: () => readonly Metric[]): (() => readonly MetricReport[]) => {
  const own = processMetrics();
  return () =>
    [...own, ...ofFeatures()].slice(0, MAX_METRICS).flatMap((metric) => {
      try {
        return [reportOf(metric)];
      } catch {
        return []; // a scrape of the metrics reports the error
      }
    });
};

const reportOf = (metric: Metric): MetricReport => {
  const value = metric.read();
  const samples =
    typeof value === "number"
      ? ([["", value]] as const)
      : value.slice(0, MAX_SAMPLES).map((sample) => [labelsOf(sample.labels), sample.value] as const);
  const { name, help, type, across = "sum" } = metric;
  return { name, help, type, across, samples };
};

const labelsOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")
    .slice(0, 200);

const processMetrics = (): readonly Metric[] => {
  let last = performance.eventLoopUtilization();
  return [
    {
      name: "process_heap_used_bytes",
      help: "Bytes that the objects of the process use.",
      type: "gauge",
      read: () => process.memoryUsage().heapUsed,
    },
    {
      name: "process_event_loop_busy_ratio",
      help: "Share of the last second in which the event loop was busy.",
      type: "gauge",
      across: "max",
      read() {
        const now = performance.eventLoopUtilization();
        const { utilization } = performance.eventLoopUtilization(now, last);
        last = now;
        return Number.isFinite(utilization) ? utilization : 0;
      },
    },
    {
      name: "process_cpu_seconds_total",
      help: "CPU time in seconds.",
      type: "counter",
      read() {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      },
    },
  ];
};
