import { App } from "@framework/core";
import type { Feature, Metric } from "@framework/core/feature";
import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { parseExposition } from "./exposition-parser.test-kit.ts";
import { formatFor, writeSlices } from "./exposition.ts";
import { prometheus } from "./index.ts";

const textType = "text/plain; version=0.0.4; charset=utf-8";
const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

test.each([
  [null, textType],
  ["*/*", textType],
  ["text/html,*/*;q=0.1", textType],
  ["application/json", textType],
  ["text/plain;version=0.0.4", textType],
  ["application/openmetrics-text", openMetricsType],
  ["application/openmetrics-text;version=0.0.1", textType],
  ["application/openmetrics-text;version=1.0.0;q=0.1,text/plain;version=0.0.4;q=0.5", textType],
  // Prometheus 2.42
  [
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    openMetricsType,
  ],
  // Prometheus 3
  [
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
    openMetricsType,
  ],
])("Accept %p selects %p", (accept, contentType) => expectFormat(accept, contentType));

test("an Accept field with 5,000 parameters selects the plain format", () =>
  expectFormat(`application/openmetrics-text${";escaping=".repeat(5000)}`, textType));

const expectFormat = async (accept: string | null, contentType: string) => {
  const app = new (App.with(prometheus))().enablePrometheus();
  const reply = await app.fetch(
    new Request("http://localhost/metrics", { headers: accept === null ? {} : { accept } }),
  );
  expect([reply.headers.get("content-type"), reply.headers.get("vary")]).toEqual([contentType, "Accept"]);
  const { families } = parseExposition(await reply.text(), contentType === openMetricsType);
  expect(families.size).toBeGreaterThan(10);
};

/** Any code point; fast-check's unit `binary` is a table of a million entries, which takes a second to build. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((at) => String.fromCodePoint(at));

test("labels and help texts survive a round trip in both formats", () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('"', "\\", "\n", '\\"\n', "\\n", "{}", "a,b", "\r\n"),
  );
  fc.assert(
    fc.property(text, text, fc.double(), fc.boolean(), (value, help, number, isOpenMetrics) => {
      const { contentType } = formatFor(isOpenMetrics ? openMetricsType : null);
      const label = value.toWellFormed();
      const metric = {
        family: { name: "a_total", help: `h${help}`, type: "counter" as const },
        series: [{ labels: ["x", label, "y", "plain"], numbers: [number] }],
      };
      const written = [...writeSlices([metric], { contentType, isOpenMetrics }, {})].join("");
      const { samples, families } = parseExposition(written, isOpenMetrics);
      const [sample] = samples;
      expect(sample?.labels).toEqual({ x: label, y: "plain" });
      expect((sample?.value ?? -1) + 0).toBe(number + 0); // the sum makes -0 equal to 0
      const [family] = families.values();
      const unescaped = family?.help.replaceAll(/\\([\\n"])/g, (_, character: string) =>
        character === "n" ? "\n" : character,
      );
      expect(unescaped).toBe(`h${help}`);
    }),
    { numRuns: 500 },
  );
});

test("histograms are cumulative in both formats, with float bounds in OpenMetrics", () => {
  const metric = {
    family: { name: "t_seconds", help: "T.", type: "histogram" as const, bounds: [0.5, 1, 1_000_000] },
    series: [{ labels: [], numbers: [1, 0, 2, 1, 7.5] }],
  };
  const bucketLines = (isOpenMetrics: boolean) =>
    parseExposition(
      [...writeSlices([metric], { contentType: "", isOpenMetrics }, {})].join(""),
      isOpenMetrics,
    ).samples.map(({ labels, value }) => [labels["le"], value]);
  expect(bucketLines(false)).toEqual([
    ["0.5", 1],
    ["1", 1],
    ["1000000", 3],
    ["+Inf", 4],
    [undefined, 7.5],
    [undefined, 4],
  ]);
  expect(bucketLines(true).map(([le]) => le)).toEqual([
    "0.5",
    "1.0",
    "1000000.0",
    "+Inf",
    undefined,
    undefined,
  ]);
});

const metricsFeature = (...metrics: Metric[]): Feature => ({
  name: "publishing",
  install: (host) => {
    for (const metric of metrics) host.insight.metric(metric);
    return {};
  },
});

test("of a counter's samples with the same labels the last one counts, and repeated scrapes add nothing", async () => {
  const labels = { user: "a" };
  const read = () => [
    { labels, value: 5 },
    { labels, value: 2 },
  ];
  const app = new (App.with(
    prometheus,
    metricsFeature({ name: "hits_total", help: "Hits.", type: "counter", read }),
  ))();
  app.enablePrometheus({ namespace: "shop" });
  for (let round = 0; round < 3; round++) {
    const text = await (await app.fetch(new Request("http://localhost/metrics"))).text();
    expect(parseExposition(text).value("shop_hits_total", labels)).toBe(2);
  }
});

test("metrics of features get the namespace; a metric that fails does not affect the others", async () => {
  let hits = 0;
  const feature = metricsFeature(
    { name: "cache_hits_total", help: "Hits.", type: "counter", read: () => hits },
    {
      name: "cache_bytes",
      help: "Bytes.",
      type: "gauge",
      read: () => [
        { labels: { store: "a" }, value: 1 },
        { labels: { store: "b" }, value: 2 },
      ],
    },
    {
      name: "broken",
      help: "Broken.",
      type: "gauge",
      read: () => {
        throw new Error("broken");
      },
    },
    { name: "odd", help: "Odd.", type: "gauge", read: () => Number.NaN },
    { name: "odd_total", help: "Odd.", type: "counter", read: () => Infinity },
  );
  const errors: string[] = [];
  const app = new (App.with(prometheus, feature))().enablePrometheus({ namespace: "shop" });
  await app.start({ log: { info: () => {}, warn: () => {}, error: (message) => void errors.push(message) } });
  const scrape = async () =>
    parseExposition(await (await app.fetch(new Request("http://localhost/metrics"))).text());
  hits = 3;
  expect((await scrape()).value("shop_cache_hits_total")).toBe(3);
  hits = 10;
  const parsed = await scrape();
  expect(parsed.value("shop_cache_hits_total")).toBe(10);
  expect([
    parsed.value("shop_cache_bytes", { store: "a" }),
    parsed.value("shop_cache_bytes", { store: "b" }),
  ]).toEqual([1, 2]);
  expect(["shop_broken", "shop_odd", "shop_odd_total"].filter((name) => parsed.families.has(name))).toEqual(
    [],
  );
  expect(new Set(errors)).toEqual(new Set(["the metric shop_broken could not be read"]));
  hits = 2; // the feature restarted its count
  expect((await scrape()).value("shop_cache_hits_total")).toBe(12);
});

test("in OpenMetrics, a counter whose name without _total is taken has the type unknown", async () => {
  const feature = metricsFeature(
    { name: "connections", help: "Open connections.", type: "gauge", read: () => 2 },
    { name: "connections_total", help: "Accepted connections.", type: "counter", read: () => 9 },
    { name: "messages_total", help: "Messages.", type: "counter", read: () => 5 },
  );
  const app = new (App.with(prometheus, feature))().enablePrometheus({ processMetrics: false });
  const headers = { accept: "application/openmetrics-text" };
  const reply = await app.fetch(new Request("http://localhost/metrics", { headers }));
  const parsed = parseExposition(await reply.text(), true);
  const types = ["connections", "connections_total", "messages"].map(
    (name) => parsed.families.get(`framework_${name}`)?.type,
  );
  expect(types).toEqual(["gauge", "unknown", "counter"]);
  const values = ["connections", "connections_total", "messages_total"].map((name) =>
    parsed.value(`framework_${name}`),
  );
  expect(values).toEqual([2, 9, 5]);
});

test("two metrics with the same name are a start error", async () => {
  const feature = metricsFeature({ name: "hits_total", help: "Hits.", type: "counter", read: () => 1 });
  const app = new (App.with(prometheus, feature))().enablePrometheus();
  app.metrics.counter({ name: "framework_hits_total", help: "Mine." });
  await expect(app.start()).rejects.toThrow("there are two metrics named framework_hits_total");
  const own = new (App.with(prometheus))().enablePrometheus();
  own.metrics.counter({ name: "framework_http_requests_total", help: "Mine." });
  await expect(own.start()).rejects.toThrow("there are two metrics named framework_http_requests_total");
  const missing = new (App.with(prometheus))().enablePrometheus();
  missing.metrics.gauge({ name: "framework_scrape_missing_workers", help: "Mine." });
  await expect(missing.start()).rejects.toThrow(
    "there are two metrics named framework_scrape_missing_workers",
  );
});

test("a scrape never reads the objects of handles, because Node can abort there", async () => {
  const read = jest.fn(() => []);
  const unsafe = process as unknown as Record<"_getActiveHandles" | "_getActiveRequests", () => unknown[]>;
  const { _getActiveHandles, _getActiveRequests } = unsafe;
  Object.assign(unsafe, { _getActiveHandles: read, _getActiveRequests: read });
  try {
    const app = new (App.with(prometheus))().enablePrometheus();
    const reply = await app.fetch(new Request("http://localhost/metrics"));
    expect([...parseExposition(await reply.text()).families.keys()]).toContain("nodejs_active_resources");
  } finally {
    Object.assign(unsafe, { _getActiveHandles, _getActiveRequests });
  }
  expect(read).not.toHaveBeenCalled();
});

test("process metrics are shown unless disabled", async () => {
  const scrape = async (processMetrics: boolean) => {
    const app = new (App.with(prometheus))().enablePrometheus({ processMetrics });
    return parseExposition(await (await app.fetch(new Request("http://localhost/metrics"))).text());
  };
  const parsed = await scrape(true);
  expect(parsed.value("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  expect(parsed.value("process_start_time_seconds")).toBeGreaterThan(1e9);
  expect(parsed.families.get("process_cpu_seconds_total")?.type).toBe("counter");
  expect(parsed.families.get("nodejs_gc_duration_seconds")?.type ?? "histogram").toBe("histogram");
  expect(
    [...parsed.families.values()].filter(({ name, type }) => type === "gauge" && name.endsWith("_total")),
  ).toEqual([]);
  expect(
    [...(await scrape(false)).families.keys()].filter((name) => /^(?:process|nodejs)_/.test(name)),
  ).toEqual([]);
});
