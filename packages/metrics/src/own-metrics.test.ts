import { App, type ConfigurationError } from "@framework/core";
import { Counter, Gauge, Histogram, Registry, Summary } from "prom-client";
import { expect, test } from "@jest/globals";
import { parseExposition } from "./exposition-parser.test-kit.ts";
import { prometheus, type PrometheusConfig } from "./index.ts";

const makeApp = (config: Partial<PrometheusConfig> = {}) => {
  const app = new (App.with(prometheus))().enablePrometheus({ processMetrics: false, ...config });
  const scrape = async () =>
    parseExposition(await (await app.fetch(new Request("http://localhost/metrics"))).text());
  return { app, metrics: app.metrics, scrape };
};

test("counters, gauges and histograms show recorded values", async () => {
  const { metrics, scrape } = makeApp();
  const sold = metrics.counter({ name: "sold_total", help: "Sold.", labelNames: ["genre"] });
  const visits = metrics.counter({ name: "visits_total", help: "Visits." });
  const depth = metrics.gauge({ name: "depth", help: "Depth.", labelNames: ["queue"] });
  metrics.gauge({ name: "level", help: "Level.", read: () => 42 });
  const size = metrics.histogram({ name: "size_bytes", help: "Size.", buckets: [10, 100] });
  const took = metrics.histogram({ name: "took_seconds", help: "Took.", labelNames: ["kind"] });
  sold.inc({ genre: "novel" });
  sold.inc({ genre: "novel" }, 2.5);
  const poems = sold.labels({ genre: "poem" });
  for (let count = 0; count < 5; count++) poems.inc();
  visits.inc();
  depth.set({ queue: "a" }, 7);
  depth.inc({ queue: "a" });
  depth.dec({ queue: "a" }, 3);
  depth.labels({ queue: "b" }).set(-1);
  for (const value of [0, 10, 11, 100, 5000]) size.observe(value);
  took.labels({ kind: "x" }).observe(0.3);
  const parsed = await scrape();
  expect(parsed.value("sold_total", { genre: "novel" })).toBe(3.5);
  expect(parsed.value("sold_total", { genre: "poem" })).toBe(5);
  expect(parsed.value("visits_total")).toBe(1);
  expect([parsed.value("depth", { queue: "a" }), parsed.value("depth", { queue: "b" })]).toEqual([5, -1]);
  expect(parsed.value("level")).toBe(42);
  expect(["10", "100", "+Inf"].map((le) => parsed.value("size_bytes_bucket", { le }))).toEqual([2, 4, 5]);
  expect(parsed.value("size_bytes_sum")).toBe(5121);
  expect(parsed.value("took_seconds_bucket", { kind: "x", le: "0.5" })).toBe(1);
});

test("metrics without labels are shown from the start and keep counting across scrapes", async () => {
  const { metrics, scrape } = makeApp();
  const visits = metrics.counter({ name: "visits_total", help: "Visits." });
  metrics.histogram({ name: "took_seconds", help: "Took." });
  metrics.gauge({ name: "depth", help: "Depth." });
  const first = await scrape();
  expect([...first.families.keys()]).toEqual(
    expect.arrayContaining(["visits_total", "took_seconds", "depth"]),
  );
  for (let round = 1; round <= 3; round++) {
    visits.inc();
    expect((await scrape()).value("visits_total")).toBe(round);
  }
});

test("label values beyond the bound are aggregated", async () => {
  const { metrics, scrape } = makeApp({ maxSeries: 100 });
  const seen = metrics.counter({ name: "seen_total", help: "Seen.", labelNames: ["user", "kind"] });
  for (let user = 0; user < 10_000; user++) seen.inc({ user, kind: "x" });
  seen.inc({ user: 5, kind: "x" });
  const { samples = [] } = (await scrape()).families.get("seen_total") ?? {};
  expect(samples.length).toBe(101);
  expect(samples.find(({ labels }) => labels["user"] === "5")?.value).toBe(2);
  expect(samples.find(({ labels }) => labels["user"] === "overflow")).toMatchObject({
    labels: { kind: "overflow" },
    value: 9900,
  });
});

test("long and malformed label values are truncated and repaired", async () => {
  const { metrics, scrape } = makeApp();
  const seen = metrics.counter({ name: "seen_total", help: "Seen.", labelNames: ["name"] });
  for (const name of ["x".repeat(10_000), "\ud800", "\ud801", "__proto__", ""]) seen.inc({ name });
  const { samples = [] } = (await scrape()).families.get("seen_total") ?? {};
  expect(samples.map(({ labels, value }) => [labels["name"]?.slice(-3), value])).toEqual([
    ["xx…", 1],
    ["\ufffd", 2],
    ["o__", 1],
    ["", 1],
  ]);
  expect(samples[0]?.labels["name"]?.length).toBe(256);
});

test.each([
  ["a negative amount", "METRICS_BAD_AMOUNT"],
  ["NaN", "METRICS_BAD_AMOUNT"],
  ["a number as a string", "METRICS_BAD_AMOUNT"],
  ["a bigint", "METRICS_BAD_AMOUNT"],
  ["null", "METRICS_BAD_AMOUNT"],
  ["null of a series", "METRICS_BAD_AMOUNT"],
  ["a string to subtract", "METRICS_BAD_AMOUNT"],
  ["a bigint to add", "METRICS_BAD_AMOUNT"],
  ["an observation of null", "METRICS_BAD_AMOUNT"],
  ["an observation of undefined", "METRICS_BAD_AMOUNT"],
  ["an infinite level", "METRICS_BAD_AMOUNT"],
  ["a missing label", "METRICS_BAD_LABELS"],
  ["an extra label", "METRICS_BAD_LABELS"],
  ["an inherited label", "METRICS_BAD_LABELS"],
  ["labels of a metric without labels", "METRICS_BAD_LABELS"],
  ["null in place of labels", "METRICS_BAD_LABELS"],
] as const)("%s throws %s and counts nothing", async (mistake, code) => {
  const { metrics, scrape } = makeApp();
  const plain = metrics.counter({ name: "a_total", help: "A." });
  const labelled = metrics.counter({ name: "b_total", help: "B.", labelNames: ["toString"] });
  const histogram = metrics.histogram({ name: "c_seconds", help: "C." });
  const gauge = metrics.gauge({ name: "d", help: "D." });
  const mistakes: Record<typeof mistake, () => void> = {
    "a negative amount": () => plain.inc(-1),
    NaN: () => plain.inc(Number.NaN),
    "a number as a string": () => plain.inc("5" as never),
    "a bigint": () => plain.inc(1n as never),
    null: () => plain.inc(null as never),
    "null of a series": () => labelled.labels({ toString: "x" }).inc(null as never),
    "a string to subtract": () => gauge.dec("5" as never),
    "a bigint to add": () => gauge.inc(1n as never),
    "an observation of null": () => histogram.observe(null as never),
    "an observation of undefined": () => histogram.observe(undefined as never),
    "an infinite level": () => gauge.set(Infinity),
    "a missing label": () => labelled.inc({} as never),
    "an extra label": () => labelled.inc({ toString: "x", b: "y" } as never),
    "an inherited label": () => labelled.inc({ b: "y" } as never),
    "labels of a metric without labels": () => plain.inc({ a: "x" } as never),
    "null in place of labels": () => labelled.labels(null as never).inc(),
  };
  expect(mistakes[mistake]).toThrow(expect.objectContaining({ code }));
  const { samples } = await scrape();
  const shown = samples.filter(({ name }) => /^(?:a_total|b_total|c_seconds|d)/.test(name));
  expect(new Set(shown.map(({ value }) => value))).toEqual(new Set([0]));
});

test("only amounts whose sum is not finite are dropped", async () => {
  const { app, metrics, scrape } = makeApp();
  const lost: unknown[] = [];
  const huge = metrics.counter({ name: "huge_total", help: "Huge." });
  const sizes = metrics.histogram({ name: "size_bytes", help: "Size." });
  const visits = metrics.counter({ name: "visits_total", help: "Visits." });
  await app.start({
    log: { info: () => {}, warn: () => {}, error: (_, fields) => lost.push(fields?.["series"]) },
  });
  await scrape();
  for (let count = 0; count < 2; count++) {
    huge.inc(1e308);
    sizes.observe(-1e308);
    visits.inc();
  }
  const parsed = await scrape();
  const values = ["huge_total", "size_bytes_count", "visits_total"].map((name) => parsed.value(name));
  expect(values).toEqual([0, 0, 2]);
  expect(lost).toEqual(['["huge_total"]', '["size_bytes"]']);
  huge.inc(3);
  expect((await scrape()).value("huge_total")).toBe(3);
});

test("start reports all mistakes in metrics", async () => {
  const app = new (App.with(prometheus))();
  app.metrics.counter({ name: "early_total", help: "Early." });
  app.enablePrometheus({
    namespace: "9",
    endpoint: "metrics",
    durationBuckets: [2, 1],
    defaultLabels: { le: "x" },
  });
  const { metrics } = app;
  metrics.counter({ name: "a b_total", help: "A." });
  metrics.counter({ name: "sold", help: "Sold." });
  metrics.gauge({ name: "open_total", help: "Open." });
  metrics.gauge({ name: "early_total", help: "Again." });
  metrics.gauge({ name: "silent", help: "" });
  metrics.gauge({ name: "things_count", help: "Things." });
  metrics.histogram({ name: "took_seconds", help: "Took.", labelNames: ["le"] });
  metrics.histogram({ name: "size_bytes", help: "Size.", buckets: [] });
  const error: unknown = await app.start().catch((thrown: unknown) => thrown);
  expect((error as ConfigurationError).problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
    "METRICS_NOT_ENABLED metrics: call enablePrometheus before creating early_total",
    expect.stringContaining("PrometheusConfig.endpoint"),
    expect.stringContaining("PrometheusConfig.namespace"),
    expect.stringContaining("PrometheusConfig.durationBuckets"),
    expect.stringContaining("PrometheusConfig.defaultLabels"),
    expect.stringContaining('METRICS_BAD_METRIC "a b_total" is not a metric name'),
    expect.stringContaining("METRICS_BAD_METRIC the metric sold must end in _total"),
    expect.stringContaining("METRICS_BAD_METRIC the metric open_total must end in _total if"),
    expect.stringContaining("METRICS_BAD_METRIC the metric early_total already exists"),
    expect.stringContaining("METRICS_BAD_METRIC the metric silent needs a help text"),
    expect.stringContaining("METRICS_BAD_METRIC the metric things_count must not end in a reserved suffix"),
    expect.stringContaining("METRICS_BAD_METRIC the metric took_seconds may have at most 10 labels"),
    expect.stringContaining("METRICS_BAD_METRIC the buckets of size_bytes"),
  ]);
});

test("metrics cannot be created after start", async () => {
  const { app, metrics } = makeApp();
  await app.start();
  expect(() => metrics.counter({ name: "late_total", help: "Late." })).toThrow(
    expect.objectContaining({ code: "METRICS_ALREADY_STARTED" }),
  );
});

test("registries of prom-client are shown and keep counting", async () => {
  const registry = new Registry();
  const registers = [registry];
  const jobs = new Counter({ name: "jobs_total", help: "Jobs.", labelNames: ["kind"], registers });
  const old = new Counter({ name: "old_things", help: "Old.", registers });
  const depth = new Gauge({ name: "depth", help: "Depth.", registers });
  const took = new Histogram({
    name: "took_seconds",
    help: "Took.",
    buckets: [1, 2],
    labelNames: ["kind"],
    registers,
  });
  const lag = new Summary({ name: "lag_seconds", help: "Lag.", registers });
  const { app, scrape } = makeApp({ registries: [registry] });
  jobs.inc({ kind: "a" }, 2);
  old.inc(3);
  depth.set(4);
  for (const value of [0.5, 1.5, 9]) took.observe({ kind: "a" }, value);
  lag.observe(5);
  lag.observe(6);
  for (const more of [0, 1]) {
    jobs.inc({ kind: "a" }, more);
    const parsed = await scrape();
    expect([
      parsed.value("jobs_total", { kind: "a" }),
      parsed.value("old_things"),
      parsed.value("depth"),
    ]).toEqual([2 + more, 3, 4]);
    expect(["1", "2", "+Inf"].map((le) => parsed.value("took_seconds_bucket", { le }))).toEqual([1, 2, 3]);
    expect([
      parsed.value("took_seconds_sum"),
      parsed.value("lag_seconds_sum"),
      parsed.value("lag_seconds_count"),
    ]).toEqual([11, 11, 2]);
  }
  const accept = "application/openmetrics-text";
  const reply = await app.fetch(new Request("http://localhost/metrics", { headers: { accept } }));
  expect(parseExposition(await reply.text(), true).families.get("old_things")?.type).toBe("unknown");
});

test("negative observations of a registry's histogram or summary are counted once", async () => {
  const registry = new Registry();
  const registers = [registry];
  const drift = new Histogram({ name: "drift_seconds", help: "Drift.", buckets: [-1, 0, 1], registers });
  const lag = new Summary({ name: "lag_seconds", help: "Lag.", registers });
  const { scrape } = makeApp({ registries: [registry] });
  for (const [value, count] of [
    [5, 1],
    [-3, 2],
    [-3, 3],
  ] as const) {
    drift.observe(value);
    lag.observe(value);
    const parsed = await scrape();
    expect([parsed.value("drift_seconds_count"), parsed.value("lag_seconds_count")]).toEqual([count, count]);
  }
  const parsed = await scrape();
  expect([parsed.value("drift_seconds_sum"), parsed.value("lag_seconds_sum")]).toEqual([-1, -1]);
  registry.resetMetrics();
  drift.observe(2);
  expect((await scrape()).value("drift_seconds_count")).toBe(4);
});

test("a gauge whose read throws, or has a malformed label, is omitted and logged, and the app's other metrics are shown", async () => {
  const { app, metrics, scrape } = makeApp();
  const visits = metrics.counter({ name: "visits_total", help: "Visits." });
  metrics.gauge({ name: "level", help: "Level.", read: () => 42 });
  metrics.gauge({
    name: "rows",
    help: "Rows.",
    read: () => {
      throw new Error("the database is unavailable");
    },
  });
  const read = () => [{ labels: { "queue-name": "mail" }, value: 3 }];
  metrics.gauge({ name: "waiting", help: "Waiting.", read });
  const errors: string[] = [];
  await app.start({ log: { info: () => {}, warn: () => {}, error: (message) => void errors.push(message) } });
  visits.inc();
  const parsed = await scrape();
  expect([parsed.value("visits_total"), parsed.value("level")]).toEqual([1, 42]);
  expect(["rows", "waiting"].filter((name) => parsed.families.has(name))).toEqual([]);
  expect(new Set(errors)).toEqual(
    new Set(["the metric rows could not be read", "the metric waiting could not be read"]),
  );
});

test("series of a registry whose truncated labels are equal are summed, and repeated scrapes add nothing", async () => {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ["path"];
  const jobs = new Counter({ name: "jobs_total", help: "Jobs.", labelNames, registers });
  const took = new Histogram({ name: "took_seconds", help: "Took.", buckets: [1], labelNames, registers });
  const { scrape } = makeApp({ registries: [registry] });
  const long = "x".repeat(300);
  jobs.inc({ path: `${long}a` }, 5);
  jobs.inc({ path: `${long}b` }, 2);
  for (const end of ["a", "a", "b"]) took.observe({ path: `${long}${end}` }, 3);
  for (const more of [0, 0, 1]) {
    jobs.inc({ path: `${long}a` }, more);
    const { families } = await scrape();
    expect(families.get("jobs_total")?.samples.map(({ value }) => value)).toEqual([7 + more]);
    const counts = families.get("took_seconds")?.samples.filter(({ name }) => !name.endsWith("_bucket"));
    expect(counts?.map(({ value }) => value)).toEqual([9, 3]); // sum and count
  }
});

test("labels that differ only in the position of a NUL character are separate series", async () => {
  const { metrics, scrape } = makeApp();
  const seen = metrics.counter({ name: "seen_total", help: "Seen.", labelNames: ["a", "b"] });
  seen.inc({ a: "x\0y", b: "z" });
  seen.inc({ a: "x", b: "y\0z" }, 2);
  seen.inc({ a: "x\0y", b: "z" }, 4);
  const { samples = [] } = (await scrape()).families.get("seen_total") ?? {};
  expect(samples.map(({ labels, value }) => [labels["a"], labels["b"], value])).toEqual([
    ["x\0y", "z", 5],
    ["x", "y\0z", 2],
  ]);
});
