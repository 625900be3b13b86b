import type { HrTime } from "@opentelemetry/api";
import type { Metric } from "@framework/core/feature";
import type { Resource } from "@opentelemetry/resources";
import type { CollectionResult, MetricProducer } from "@opentelemetry/sdk-metrics";
import type { FeatureHistograms } from "./feature-histograms.ts";
import { featureMetrics } from "./feature-metrics.ts";
import type { MetricKinds } from "./metric-kinds.ts";
import type { OwnRequestMeter } from "./request-meter.ts";
import { requestMetrics } from "./request-metrics.ts";

/** Metrics that features publish. */
export interface FeatureInsight {
  /** Counters and gauges. */
  metrics(): readonly Metric[];
  readonly histograms: FeatureHistograms;
}

/** Options of `metricProducer`. */
export interface MetricProducerOptions {
  readonly requests: OwnRequestMeter;
  readonly features: FeatureInsight;
  readonly resource: Resource;
  readonly kinds: MetricKinds;
  /** The wall-clock time. */
  readonly time: () => HrTime;
}

/** Provides the series of requests and the metrics of features to a metric reader of the SDK. */
export const metricProducer = (options: MetricProducerOptions): MetricProducer => {
  const { requests, features, resource, kinds, time } = options;
  const startTime = time();
  features.histograms.start(time);
  return {
    collect(): Promise<CollectionResult> {
      const now = time();
      const metrics = [
        ...requestMetrics(requests, kinds, now),
        ...featureMetrics(features.metrics(), kinds, startTime, now),
        ...features.histograms.collect(kinds, now),
      ];
      const scopeMetrics = metrics.length === 0 ? [] : [{ scope: { name: "@framework/telemetry" }, metrics }];
      return Promise.resolve({ resourceMetrics: { resource, scopeMetrics }, errors: [] });
    },
  };
};
