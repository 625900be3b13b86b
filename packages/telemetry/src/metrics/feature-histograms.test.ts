import { expect, test } from "@jest/globals";
import { AggregationTemporality, DataPointType } from "@opentelemetry/sdk-metrics";
import { FeatureHistograms } from "./feature-histograms.ts";

test("observations beyond 2,000 series are counted in one series, which no label can join", () => {
  const histograms = new FeatureHistograms();
  const record = histograms.recorder({
    name: "job_duration_seconds",
    help: "",
    labels: ["job"],
    buckets: [1],
  });
  histograms.start(() => [0, 0]);
  record(1, { job: "\n\noverflow" });
  for (let job = 0; job < 2010; job++) record(1, { job: String(job) });
  record(1, { job: "\n\noverflow" });
  const [metric] = histograms.collect({ DataPointType, AggregationTemporality }, [1, 0]);
  const points = metric?.dataPoints.map(({ attributes, value }) => [
    attributes,
    (value as { readonly count: number }).count,
  ]);
  expect(points).toHaveLength(2001);
  expect(points?.[0]).toEqual([{ job: "\n\noverflow" }, 2]);
  expect(points?.at(-1)).toEqual([{ "otel.metric.overflow": true }, 11]);
});
