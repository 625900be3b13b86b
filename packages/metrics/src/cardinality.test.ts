import { App } from "@framework/core";
import { seededRandom } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { parseExposition } from "./exposition-parser.test-kit.ts";
import { prometheus } from "./index.ts";

const fetchText = async (app: App, path: string, init?: RequestInit) =>
  (await app.fetch(new Request(`http://localhost${path}`, init))).text();

const seriesOf = async (app: App) =>
  parseExposition(await fetchText(app, "/metrics")).samples.filter(({ name }) =>
    name.startsWith("framework_http"),
  );

test("4,000 random paths, methods and hosts add no series", async () => {
  const app = new (App.with(prometheus))().enablePrometheus({ processMetrics: false });
  app.get("/books/{id}", ({ params }) => params.id);
  const random = seededRandom(7);
  const word = () => random().toString(36).slice(2, 10);
  const send = async () => {
    const method = random() < 0.5 ? "GET" : `X${word().toUpperCase()}`;
    const path = random() < 0.3 ? `/books/${word()}` : `/${word()}/${word()}`;
    await app.fetch(new Request(`http://${word()}.test${path}?q=${word()}`, { method }));
  };
  for (let count = 0; count < 100; count++) await send();
  const before = (await seriesOf(app)).length;
  for (let count = 0; count < 4000; count++) await send();
  const after = await seriesOf(app);
  expect(after.length).toBe(before);
  const total = after.filter(({ name }) => name === "framework_http_requests_total");
  expect(total.reduce((sum, { value }) => sum + value, 0)).toBe(4100);
  expect(new Set(total.map(({ labels }) => labels["method"]))).toEqual(new Set(["GET", "OTHER"]));
});

test("beyond the series bound only the path becomes overflow: methods and statuses stay, and every request is counted", async () => {
  const app = new (App.with(prometheus))().enablePrometheus({ processMetrics: false, maxSeries: 20 });
  for (let page = 0; page < 40; page++)
    app.route(`/${page}`, { methods: ["GET", "POST"] }, (request) => {
      const status = Number(request.query.get("status") ?? 200);
      return new Response(null, { status });
    });
  for (let page = 0; page < 40; page++) await fetchText(app, `/${page}`);
  for (let page = 0; page < 40; page++) await fetchText(app, `/${page}?status=500`, { method: "POST" });
  const samples = await seriesOf(app);
  const totals = samples.filter(({ name }) => name === "framework_http_requests_total");
  expect(totals.map(({ labels, value }) => [labels["method"], labels["status"], value])).toEqual([
    ["GET", "200", 40],
    ["POST", "500", 40],
  ]);
  const counts = samples.filter(({ name }) => name === "framework_http_request_duration_seconds_count");
  expect(counts.length).toBe(22);
  const overflow = counts.filter(({ labels }) => labels["path"] === "overflow");
  expect(overflow.map(({ labels, value }) => [labels["method"], labels["status"], value])).toEqual([
    ["GET", "200", 20],
    ["POST", "500", 40],
  ]);
});

test("a scrape of 2,000 series is complete, and other requests are served between its slices", async () => {
  const app = new (App.with(prometheus))().enablePrometheus({ processMetrics: false });
  const hits = app.metrics.histogram({ name: "hit_seconds", help: "Hits.", labelNames: ["n"] });
  app.get("/", () => "served");
  await fetchText(app, "/");
  for (let n = 0; n < 2000; n++) hits.observe({ n }, 1);
  const reply = await app.fetch(new Request("http://localhost/metrics"));
  let slices = 0;
  let longest = 0;
  let text = "";
  let served = 0;
  const decoder = new TextDecoder();
  for await (const chunk of reply.body ?? []) {
    slices++;
    longest = Math.max(longest, chunk.byteLength);
    text += decoder.decode(chunk, { stream: true });
    if (slices % 2 === 0) setImmediate(() => void served++);
  }
  expect(slices).toBeGreaterThan(19);
  expect(longest).toBeLessThan(256 * 1024);
  expect(served).toBeGreaterThan(4);
  const { samples } = parseExposition(text);
  expect(samples.filter(({ name }) => name === "hit_seconds_count").length).toBe(2000);
  expect(text.match(/^# TYPE hit_seconds /gm)?.length).toBe(1);
});
