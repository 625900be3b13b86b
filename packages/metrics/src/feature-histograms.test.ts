import { App, type ConfigurationError } from "@framework/core";
import type { Feature, Histogram } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { parseExposition } from "./exposition-parser.test-kit.ts";
import { prometheus } from "./index.ts";
import { service } from "./service.test-kit.ts";

interface CallMetrics {
  readonly seconds: Histogram<"peer">;
  readonly bytes: Histogram;
}
const callFeature: Feature<CallMetrics> = {
  name: "calling",
  install: ({ insight }) => ({
    seconds: insight.histogram({
      name: "call_duration_seconds",
      help: "Duration of calls.",
      labels: ["peer"],
      buckets: [1, 2],
    }),
    bytes: insight.histogram({ name: "call_bytes", help: "Bytes of calls." }),
  }),
};

const scrape = async (app: App) =>
  parseExposition(await (await app.fetch(new Request("http://localhost/metrics"))).text());

test.each([
  ["before", App.with(callFeature, prometheus)],
  ["after", App.with(prometheus, callFeature)],
])("histograms of a feature composed %s metrics get the namespace", async (_, Class) => {
  const app = new Class().enablePrometheus({ namespace: "shop", processMetrics: false });
  for (const value of [0.5, 1, 1.5, 9]) app.seconds.observe(value, { peer: "a" });
  app.seconds.observe(0.1, { peer: "b" });
  const parsed = await scrape(app);
  const buckets = ["1", "2", "+Inf"].map((le) =>
    parsed.value("shop_call_duration_seconds_bucket", { peer: "a", le }),
  );
  expect(buckets).toEqual([2, 3, 4]);
  expect(parsed.value("shop_call_duration_seconds_sum", { peer: "a" })).toBe(12);
  expect(parsed.value("shop_call_duration_seconds_count", { peer: "b" })).toBe(1);
  expect(parsed.value("shop_call_bytes_count")).toBe(0); // shown from the start, since it has no labels
});

test("without enablePrometheus no histogram is recorded", () => {
  const app = new (App.with(callFeature, prometheus))();
  expect(app.seconds.isRecorded).toBe(false);
});

test("labels beyond the bound are aggregated without loss", async () => {
  const app = new (App.with(callFeature, prometheus))().enablePrometheus({
    maxSeries: 3,
    processMetrics: false,
  });
  for (let peer = 0; peer < 10; peer++) app.seconds.observe(1, { peer: `peer ${peer}` });
  const { samples = [] } = (await scrape(app)).families.get("framework_call_duration_seconds") ?? {};
  const counts = samples.filter(({ name }) => name.endsWith("_count"));
  expect(counts.map(({ labels, value }) => [labels["peer"], value])).toEqual(
    expect.arrayContaining([["overflow", 7]]),
  );
  expect(counts.reduce((sum, { value }) => sum + value, 0)).toBe(10);
});

test("observations of all workers are summed, including those of exited workers", async () => {
  const { start } = service(3);
  const workers = [await start(), await start(), await start()] as const;
  for (const [index, { jobs }] of workers.entries()) {
    for (let count = 0; count <= index; count++) jobs.observe(1.5, { kind: "mail" });
  }
  await workers[0].app.stop();
  const parsed = await workers[1].scrape();
  expect(parsed.value("framework_job_duration_seconds_count", { kind: "mail" })).toBe(6);
  expect(parsed.value("framework_job_duration_seconds_bucket", { kind: "mail", le: "1" })).toBe(0);
  expect(parsed.value("framework_job_duration_seconds_bucket", { kind: "mail", le: "2" })).toBe(6);
});

test("a program's metric with the name of a feature's histogram is a start error", async () => {
  const app = new (App.with(callFeature, prometheus))().enablePrometheus();
  app.metrics.gauge({ name: "framework_call_bytes", help: "Bytes." });
  const { problems } = (await app.start().catch((error: unknown) => error)) as ConfigurationError;
  expect(problems).toEqual([
    expect.objectContaining({ message: "the metric framework_call_bytes already exists" }),
  ]);
});
