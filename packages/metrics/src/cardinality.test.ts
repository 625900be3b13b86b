import { App } from "@framework/core";
import { seededRandom } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { parseExposition } from "./exposition-parser.test-kit.ts";
import { prometheus } from "./index.ts";

const ask = async (app: App, path: string, init?: RequestInit) =>
  (await app.fetch(new Request(`http://localhost${path}`, init))).text();

const seriesOf = async (app: App) =>
  parseExposition(await ask(app, "/metrics")).samples.filter(({ name }) => name.startsWith("framework_http"));

test("100,000 random paths, methods and hosts add no series", async () => {
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
  for (let count = 0; count < 100_000; count++) await send();
  const after = await seriesOf(app);
  expect(after.length).toBe(before);
  const total = after.filter(({ name }) => name === "framework_http_requests_total");
  expect(total.reduce((sum, { value }) => sum + value, 0)).toBe(100_100);
  expect(new Set(total.map(({ labels }) => labels["method"]))).toEqual(new Set(["GET", "OTHER"]));
});

test("client-chosen statuses stop at the series bound, and every request is still counted", async () => {
  const app = new (App.with(prometheus))().enablePrometheus({ processMetrics: false, maxSeries: 20 });
  app.get("/{status}", ({ params }) => new Response(null, { status: Number(params.status) }));
  for (let status = 200; status < 600; status++) await ask(app, `/${status}`);
  const samples = await seriesOf(app);
  const counts = samples.filter(({ name }) => name === "framework_http_request_duration_seconds_count");
  expect(counts.length).toBe(21);
  expect(counts.reduce((sum, { value }) => sum + value, 0)).toBe(400);
  expect(counts.find(({ labels }) => labels["path"] === "overflow")?.value).toBe(380);
});
