export { PrometheusConfig } from "./prometheus-config.ts";
export { type Prometheus, prometheus } from "./prometheus.ts";
export type {
  Arguments,
  BoundCounter,
  BoundGauge,
  BoundHistogram,
  Counter,
  Gauge,
  GaugeOptions,
  Histogram,
  HistogramOptions,
  MetricOptions,
  Metrics,
} from "./metrics.ts";
export type { Across } from "./family.ts";
export type { LabelValues } from "./series-table.ts";
export type { PromMetric, PromRegistry, PromValue } from "./prom-registry.ts";
export { metricsErrors } from "./error-codes.ts";
