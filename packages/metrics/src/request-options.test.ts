import { App, ForbiddenError, Response } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { parseExposition } from "./exposition-parser.test-kit.ts";
import { prometheus } from "./index.ts";

test("durations use the configured clock and include streamed bodies", async () => {
  const clock = virtualClock();
  const app = new (App.with(prometheus))().enablePrometheus({ clock });
  app.get("/", async () => {
    await clock.advance(30);
    return "hello";
  });
  app.get("/stream", () =>
    Response.stream(
      (async function* () {
        yield "a";
        await clock.advance(7000);
        yield "b";
      })(),
    ),
  );
  const fetchText = async (path: string) => (await app.fetch(new Request(`http://localhost${path}`))).text();
  await fetchText("/");
  await fetchText("/stream");
  const parsed = parseExposition(await fetchText("/metrics"));
  const duration = (path: string, part: string, le?: string) =>
    parsed.value(`framework_http_request_duration_seconds_${part}`, {
      path,
      ...(le !== undefined && { le }),
    });
  expect([duration("/", "sum"), duration("/", "bucket", "0.025"), duration("/", "bucket", "0.05")]).toEqual([
    0.03, 0, 1,
  ]);
  expect([duration("/stream", "sum"), duration("/stream", "bucket", "5")]).toEqual([7, 0]);
});

test("the configured guards protect the endpoint; guards of the app do not apply", async () => {
  const app = new (App.with(prometheus))().enablePrometheus({
    endpoint: "/internal/metrics",
    guards: [
      (request) => {
        if (request.getHeader("authorization") !== "Bearer scraper")
          throw new ForbiddenError("scrapers only");
      },
    ],
  });
  app.addGuard(() => false);
  const send = (headers: Record<string, string>) =>
    app.fetch(new Request("http://localhost/internal/metrics", { headers }));
  expect((await send({})).status).toBe(403);
  expect((await send({ authorization: "Bearer scraper" })).status).toBe(200);
});

test("buckets, names and default labels are configurable", async () => {
  const app = new (App.with(prometheus))().enablePrometheus({
    namespace: "books",
    subsystem: "api",
    durationBuckets: [1, 2],
    sizeBuckets: [10],
    defaultLabels: { region: 'e"u', status: "never" },
    processMetrics: false,
  });
  app.get("/", () => "hello");
  await app.fetch(new Request("http://localhost/"));
  const parsed = parseExposition(await (await app.fetch(new Request("http://localhost/metrics"))).text());
  expect([...parsed.families.keys()]).toEqual([
    "books_api_requests_total",
    "books_api_request_duration_seconds",
    "books_api_response_size_bytes",
    "books_api_request_size_bytes",
    "books_api_requests_in_flight",
    "books_scrape_missing_workers",
  ]);
  expect(parsed.samples.every(({ labels }) => labels["region"] === 'e"u')).toBe(true);
  expect(parsed.value("books_api_requests_total", { status: "200" })).toBe(1);
  expect(parsed.value("books_api_response_size_bytes_bucket", { le: "10" })).toBe(1);
});
