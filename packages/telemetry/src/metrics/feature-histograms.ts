import { type HrTime, ValueType } from "@opentelemetry/api";
import type { HistogramDefinition, HistogramRecorder } from "@framework/core/feature";
import type { MetricData } from "@opentelemetry/sdk-metrics";
import { HistogramSeries } from "./histogram-series.ts";
import type { MetricKinds } from "./metric-kinds.ts";
import { MAX_SERIES } from "./request-meter.ts";

interface RegisteredHistogram {
  readonly definition: HistogramDefinition;
  readonly series: Map<string, HistogramSeries>;
  /** Series of the observations beyond `MAX_SERIES`. */
  overflow: HistogramSeries | null;
}

/** Histograms that features publish. Records only after `start`, so never if metrics are not exported. */
export class FeatureHistograms {
  private readonly all: RegisteredHistogram[] = [];
  private time: (() => HrTime) | null = null;

  readonly recorder: HistogramRecorder = (definition) => {
    const registered: RegisteredHistogram = { definition, series: new Map(), overflow: null };
    this.all.push(registered);
    return (value, labels) => {
      if (this.time !== null) seriesOf(registered, labels, this.time).observe(value);
    };
  };

  /** Starts recording. @param time the wall-clock time */
  start(time: () => HrTime): void {
    this.time = time;
  }

  collect({ DataPointType, AggregationTemporality }: MetricKinds, endTime: HrTime): MetricData[] {
    return this.all
      .filter(({ series }) => series.size > 0)
      .map(({ definition: { name, help }, series, overflow }) => ({
        descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
        aggregationTemporality: AggregationTemporality.CUMULATIVE,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: [...series.values(), ...(overflow === null ? [] : [overflow])].map((each) =>
          each.point(endTime),
        ),
      }));
  }
}

const seriesOf = (
  registered: RegisteredHistogram,
  labels: Readonly<Record<string, string>>,
  time: () => HrTime,
): HistogramSeries => {
  const { definition, series } = registered;
  const key = definition.labels.map((label) => labels[label]).join("\n");
  const known = series.get(key);
  if (known !== undefined) return known;
  if (series.size >= MAX_SERIES)
    return (registered.overflow ??= new HistogramSeries(
      { "otel.metric.overflow": true },
      definition.buckets,
      time(),
    ));
  const made = new HistogramSeries({ ...labels }, definition.buckets, time());
  series.set(key, made);
  return made;
};

const units: Readonly<Record<string, string>> = { seconds: "s", bytes: "By", ratio: "1", items: "{item}" };

const unitOf = (name: string): string => units[name.slice(name.lastIndexOf("_") + 1)] ?? "";
