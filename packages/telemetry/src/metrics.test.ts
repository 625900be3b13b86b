import { metrics as api } from "@opentelemetry/api";
import { expect, test } from "@jest/globals";
import { ask, tracedService } from "./traced-app.test-kit.ts";

test("durations and active requests have the conventions' names, units, labels and buckets", async () => {
  await using service = await tracedService({ samplingRate: 0 });
  const { app } = service;
  app.get("/books/{id}", () => "x");
  for (const path of ["/books/1", "/books/2", "/nowhere"]) await ask(app, path);
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

test("the program's own instruments are exported with them", async () => {
  await using service = await tracedService();
  service.app.get("/", () => {
    api.getMeter("shop").createCounter("books.sold").add(2, { genre: "novel" });
    return "sold";
  });
  await ask(service.app, "/");
  const { metrics } = await service.finish();
  expect(metrics.get("books.sold")?.points).toMatchObject([{ value: 2, attributes: { genre: "novel" } }]);
});

test("methods of clients make no series of their own", async () => {
  await using service = await tracedService();
  for (const method of ["BREW", "FROB", "ZAP"])
    await (await service.app.fetch(new Request("http://shop.test/", { method }))).text();
  const { metrics } = await service.finish();
  const points = metrics.get("http.server.request.duration")?.points ?? [];
  expect(points.map(({ attributes, value }) => [attributes["http.request.method"], value])).toEqual([
    ["_OTHER", 3],
  ]);
});
