import { type HrTime, ValueType } from "@opentelemetry/api";
import type { MetricData } from "@opentelemetry/sdk-metrics";
import type { MetricKinds } from "./metric-kinds.ts";
import { activeMetric, durationMetric, type OwnRequestMeter } from "./request-meter.ts";

/** Converts the metrics of requests to `MetricData`. Each series is cumulative since its creation. */
export const requestMetrics = (
  { durations, active }: OwnRequestMeter,
  { DataPointType, AggregationTemporality }: MetricKinds,
  endTime: HrTime,
): MetricData[] => {
  if (active.size === 0) return [];
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  return [
    {
      descriptor: { ...durationMetric, valueType: ValueType.DOUBLE },
      aggregationTemporality,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: durations.map((series) => series.point(endTime)),
    },
    {
      descriptor: { ...activeMetric, valueType: ValueType.INT },
      aggregationTemporality,
      dataPointType: DataPointType.SUM,
      isMonotonic: false,
      dataPoints: Array.from(active.values(), ({ attributes, startTime, value }) => ({
        attributes,
        startTime,
        endTime,
        value,
      })),
    },
  ];
};
