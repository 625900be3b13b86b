import { type HrTime, ValueType } from "@opentelemetry/api";
import type { Metric, Sample } from "@framework/core/feature";
import type { MetricData } from "@opentelemetry/sdk-metrics";
import type { MetricKinds } from "./metric-kinds.ts";

/**
 * Returns the current values of the counters and gauges that features publish. They are read only for an export. A metric whose
 * `read` throws is omitted from the export, and so is a value that is not a number.
 */
export const featureMetrics = (
  metrics: readonly Metric[],
  kinds: MetricKinds,
  startTime: HrTime,
  endTime: HrTime,
): MetricData[] => metrics.flatMap((metric) => dataOf(metric, kinds, startTime, endTime));

const dataOf = (
  { name, help, type, read }: Metric,
  { DataPointType, AggregationTemporality }: MetricKinds,
  startTime: HrTime,
  endTime: HrTime,
): MetricData[] => {
  const samples = samplesOf(read);
  if (samples.length === 0) return [];
  const dataPoints = samples.map(({ value, labels }) => ({ attributes: labels, startTime, endTime, value }));
  const common = {
    descriptor: { name, description: help, unit: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPoints,
  };
  return type === "counter"
    ? [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true }]
    : [{ ...common, dataPointType: DataPointType.GAUGE }];
};

const samplesOf = (read: Metric["read"]): readonly Sample[] => {
  try {
    const value: unknown = read();
    const samples: readonly unknown[] = Array.isArray(value) ? value : [{ value, labels: {} }];
    return samples.filter(isSample);
  } catch {
    return [];
  }
};

/** Metrics of untyped programs may have other values, which would make the export of all metrics fail. */
const isSample = (sample: unknown): sample is Sample => {
  const { value, labels } = (sample ?? {}) as Readonly<Record<keyof Sample, unknown>>;
  return Number.isFinite(value) && typeof labels === "object" && labels !== null;
};
