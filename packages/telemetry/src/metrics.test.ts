import { metrics as api } from "@opentelemetry/api";
import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { telemetry } from "./telemetry.ts";
import { get, tracedService } from "./traced-app.test-kit.ts";

test("durations and active requests have the names, units, labels and buckets of the semantic conventions", async () => {
  await using service = await tracedService({ samplingRate: 0 });
  const { app } = service;
  app.get("/books/{id}", () => "x");
  for (const path of ["/books/1", "/books/2", "/nowhere"]) await get(app, path);
  const { metrics } = await service.finish();
  const duration = metrics.get("http.server.request.duration");
  expect(duration?.unit).toBe("s");
  expect(duration?.points.map(({ attributes, value }) => [attributes, value])).toEqual([
    [
      {
        "http.request.method": "GET",
        "http.route": "/books/{id}",
        "http.response.status_code": 200,
        "url.scheme": "http",
      },
      2,
    ],
    [{ "http.request.method": "GET", "http.response.status_code": 404, "url.scheme": "http" }, 1],
  ]);
  const [first] = duration?.points ?? [];
  expect(first?.bounds).toEqual([0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]);
  expect(first?.counts.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(first?.counts).toHaveLength(15);
  expect(metrics.get("http.server.active_requests")).toMatchObject({
    unit: "{request}",
    points: [{ attributes: { "http.request.method": "GET", "url.scheme": "http" }, value: 0 }],
  });
});

test("the program's own instruments are exported", async () => {
  await using service = await tracedService();
  service.app.get("/", () => {
    api.getMeter("shop").createCounter("books.sold").add(2, { genre: "novel" });
    return "sold";
  });
  await get(service.app, "/");
  const { metrics } = await service.finish();
  expect(metrics.get("books.sold")?.points).toMatchObject([{ value: 2, attributes: { genre: "novel" } }]);
});

test("unknown methods do not add series", async () => {
  await using service = await tracedService();
  for (const method of ["BREW", "FROB", "ZAP"])
    await (await service.app.fetch(new Request("http://shop.test/", { method }))).text();
  const { metrics } = await service.finish();
  const points = metrics.get("http.server.request.duration")?.points ?? [];
  expect(points.map(({ attributes, value }) => [attributes["http.request.method"], value])).toEqual([
    ["_OTHER", 3],
  ]);
});

test("counters, gauges and histograms of features are exported, except metrics that cannot be read", async () => {
  const publisher: Feature = {
    name: "publisher",
    install(host) {
      const fail = (): number => {
        throw new Error("no");
      };
      const { insight } = host;
      const labels = { kind: "mail" };
      insight.metric({
        name: "jobs_total",
        help: "Jobs.",
        type: "counter",
        read: () => [{ value: 3, labels }],
      });
      insight.metric({ name: "jobs_waiting", help: "Jobs that wait.", type: "gauge", read: () => 2.5 });
      const wrong = { none: undefined, big: 3n, nan: Number.NaN, list: [{ value: "3", labels }, null] };
      for (const [kind, value] of Object.entries(wrong))
        insight.metric({
          name: `jobs_${kind}`,
          help: "Wrong.",
          type: "gauge",
          read: () => value as unknown as number,
        });
      insight.metric({ name: "jobs_broken", help: "Cannot be read.", type: "gauge", read: fail });
      const durations = insight.histogram({
        name: "job_duration_seconds",
        help: "Time.",
        labels: ["kind"],
        buckets: [1, 2],
      });
      host.http.route("GET", "/work", () => {
        for (const value of [0.5, 1.5, 9]) durations.observe(value, labels);
        return "done";
      });
      return {};
    },
  };
  const app = new (App.with(telemetry, publisher))();
  await using service = await tracedService({}, { app });
  await get(app, "/work");
  const { metrics } = await service.finish();
  expect(metrics.get("jobs_total")?.points).toMatchObject([{ value: 3, attributes: { kind: "mail" } }]);
  expect(metrics.get("jobs_waiting")?.points).toMatchObject([{ value: 2.5, attributes: {} }]);
  for (const name of ["broken", "none", "big", "nan", "list"])
    expect([name, metrics.has(`jobs_${name}`)]).toEqual([name, false]);
  expect(metrics.get("job_duration_seconds")).toMatchObject({
    unit: "s",
    points: [{ attributes: { kind: "mail" }, value: 3, sum: 11, bounds: [1, 2], counts: [1, 1, 1] }],
  });
  expect(metrics.has("telemetry_spans_sent_total")).toBe(true);
});
