import { type HrTime, ValueType } from "@opentelemetry/api";
import type { CollectionResult, MetricData, MetricProducer } from "@opentelemetry/sdk-metrics";
import type { Resource } from "@opentelemetry/resources";
import { activeMetric, durationMetric, durationBuckets, type OwnRequestMeter } from "./request-meter.ts";

/** The SDK's values that data points need; its module is loaded when telemetry starts. */
export interface MetricKinds {
  readonly DataPointType: typeof import("@opentelemetry/sdk-metrics").DataPointType;
  readonly AggregationTemporality: typeof import("@opentelemetry/sdk-metrics").AggregationTemporality;
}

/** Options of `requestMetrics`. */
export interface RequestMetricsOptions {
  readonly meter: OwnRequestMeter;
  readonly resource: Resource;
  readonly kinds: MetricKinds;
  /** The wall-clock time. */
  readonly time: () => HrTime;
}

/** Gives a metric reader of the SDK the series of requests, cumulative since their first request. */
export const requestMetrics = ({ meter, resource, kinds, time }: RequestMetricsOptions): MetricProducer => ({
  collect(): Promise<CollectionResult> {
    const metrics = dataOf(meter, kinds, time());
    const scopeMetrics = metrics.length === 0 ? [] : [{ scope: { name: "@framework/telemetry" }, metrics }];
    return Promise.resolve({ resourceMetrics: { resource, scopeMetrics }, errors: [] });
  },
});

const dataOf = (
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
      dataPoints: durations.map(({ attributes, startTime, counts, sum, min, max }) => ({
        attributes,
        startTime,
        endTime,
        value: {
          buckets: { boundaries: [...durationBuckets], counts: [...counts] },
          count: counts.reduce((total, count) => total + count, 0),
          sum,
          min: min === Infinity ? 0 : min,
          max,
        },
      })),
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
