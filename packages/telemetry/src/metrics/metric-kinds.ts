/** Enumerations of the SDK for data points; their module is loaded when telemetry starts. */
export interface MetricKinds {
  readonly DataPointType: typeof import("@opentelemetry/sdk-metrics").DataPointType;
  readonly AggregationTemporality: typeof import("@opentelemetry/sdk-metrics").AggregationTemporality;
}
