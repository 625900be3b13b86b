import { channel, subscribe, unsubscribe } from "node:diagnostics_channel";
import { App, HttpError } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { devtools } from "./devtools.ts";
import type { Message } from "./messages.ts";
import { devApp, open, panelNamed, requestTo, serve } from "./dev-app.test-kit.ts";

test("a request is on the page within 100 ms of its end, with each step, its time and its reason", async () => {
  const app = devApp();
  app.use(function greeting(request, next) {
    return next(request);
  });
  app.get("/books/{id}", function readBook() {
    return { title: "Emma" };
  });
  await using service = await serve(app);
  await using page = await open(service);
  const delays: number[] = [];
  for (let n = 0; n < 10; n++) {
    await (await fetch(`${service.running.url}/books/${n}?q=canary-query`)).text();
    const endedAt = performance.now();
    const { receivedAt } = await page.received(requestTo(`/books/${n}`));
    delays.push(receivedAt - endedAt);
  }
  expect(Math.min(...delays)).toBeLessThan(100); // every request would take longer if something waited before sending
  const { entry } = await page.received(requestTo("/books/0"));
  expect(entry).toMatchObject({
    method: "GET",
    path: "/books/0",
    route: "/books/{id}",
    status: 200,
    worker: String(process.pid),
    queryNames: ["q"],
    omittedSteps: 0,
  });
  expect(entry.steps.map(({ name, outcome, reasons }) => [name, outcome, reasons])).toEqual([
    ["greeting", "ran", ["passed the request on"]],
    ["guard", "skipped", ["the route has no guards"]],
    ["kettle", "ran", ["the kettle is cold: no field"]],
    ["devtools", "ran", ["passed the request on"]],
    ["validation", "skipped", ["the route has no schemas"]],
    ["readBook", "ran", ["answered 200"]],
  ]);
  const own = entry.steps.reduce((sum, { ownMs }) => sum + (ownMs ?? 0), 0);
  expect(own).toBeGreaterThan(0);
  expect(own).toBeLessThanOrEqual(entry.ms + 0.001); // the rest is spent between the steps
});

/** Middleware that gives long reasons. */
const talkative: Feature<{ enableTalk(): void }> = {
  name: "talk",
  install: (host) => ({
    enableTalk() {
      for (let at = 0; at < 40; at++)
        host.http.use("cache", (request, next) => {
          for (let n = 0; n < 8; n++) host.insight.reasons.give(request, "word ".repeat(100));
          return next(request);
        });
    },
  }),
};

test("a request that is too large for a message is shown with fewer steps", async () => {
  const app = new (App.with(devtools, talkative))().enableDevtools();
  app.enableTalk();
  app.get("/long", () => 1);
  await using service = await serve(app);
  await using page = await open(service);
  await fetch(`${service.running.url}/long`);
  const { entry } = await page.received(requestTo("/long"));
  expect(entry.steps.length).toBeGreaterThan(4);
  expect(JSON.stringify(entry).length).toBeGreaterThan(10_000);
  expect(entry.steps.length + entry.omittedSteps).toBeGreaterThan(40);
});

test("failed requests and unmatched paths are listed", async () => {
  const app = devApp();
  app.use(function outer(request, next) {
    return next(request);
  });
  app.get("/teapot", () => {
    throw new HttpError(418, "short and stout");
  });
  await using service = await serve(app);
  await using page = await open(service);
  await fetch(`${service.running.url}/teapot`);
  await fetch(`${service.running.url}/nowhere`);
  expect((await page.received(requestTo("/nowhere"))).entry).toMatchObject({ status: 404, route: null });
  const { entry } = await page.received(requestTo("/teapot"));
  expect(entry.status).toBe(418);
  expect(entry.steps.at(-1)).toMatchObject({ outcome: "failed", reasons: ["short and stout"] });
});

test("a page that is opened later gets the last maxRequests requests", async () => {
  const app = devApp({ maxRequests: 3, maxPerSecond: 1000 });
  app.get("/{n}", () => "hello");
  await using service = await serve(app);
  await using first = await open(service);
  for (let n = 0; n < 5; n++) await fetch(`${service.running.url}/${n}`);
  await first.received(requestTo("/4"));
  await using second = await open(service);
  await second.received(requestTo("/4"));
  const paths = second.messages.flatMap((message) =>
    message.type === "request" ? [message.entry.path] : [],
  );
  expect(paths).toEqual(["/2", "/3", "/4"]);
});

test("while no page is open, requests are not recorded, and the channel has no subscriber", async () => {
  const app = devApp();
  app.get("/", () => "hello");
  await using service = await serve(app);
  const steps = channel("framework.request.steps");
  expect(steps.hasSubscribers).toBe(false);
  await fetch(service.running.url);
  const page = await open(service);
  await waitFor(() => steps.hasSubscribers, { subject: "the recorder", timeoutMs: 60_000 });
  expect(page.messages.some(({ type }) => type === "request")).toBe(false);
  await page[Symbol.asyncDispose]();
  await waitFor(() => !steps.hasSubscribers, { subject: "the end of the recording", timeoutMs: 60_000 });
});

test("under load a page gets a sample: a burst of maxPerSecond, then a tenth of it every 100 ms", async () => {
  const app = devApp({ maxPerSecond: 10, maxRequests: 1000 });
  app.get("/", () => "hello");
  await using service = await serve(app);
  await using page = await open(service);
  const since = performance.now();
  let traced = 0;
  const count = (): void => void traced++;
  subscribe("framework.request.answered", count);
  for (let n = 0; n < 300; n++) await app.fetch(new Request("http://localhost/"));
  unsubscribe("framework.request.answered", count);
  const maxTraced = 10 + (performance.now() - since) / 100 + 2;
  expect(traced).toBeGreaterThan(0);
  expect(traced).toBeLessThanOrEqual(maxTraced); // one in each tenth of a second
  expect(page.messages.filter(({ type }) => type === "request").length).toBeLessThanOrEqual(maxTraced);
});

test("metrics of features and of the process are reported every second, and panels with them", async () => {
  await using service = await serve(devApp());
  await using page = await open(service);
  const metrics = await page.received((message) => message.type === "metrics");
  expect(metrics.metrics.map(({ name }) => name)).toContain("process_heap_used_bytes");
  const { panel } = await page.received(panelNamed("kettle"));
  expect(panel).toMatchObject({
    title: "Values of kettle",
    scope: "worker",
    content: {
      rows: [
        { id: "litres", cells: ["litres", 2] },
        { id: "password", cells: ["password", "…"] },
      ],
    },
  });
  await waitFor(() => page.messages.filter(({ type }) => type === "metrics").length >= 3, {
    subject: "three reports",
    timeoutMs: 60_000,
  });
});

test("every request is counted with its latency, and histograms of features are shown, while a page is open", async () => {
  const app = devApp({ maxPerSecond: 10 });
  app.get("/", () => "hello");
  app.get("/bug", () => {
    throw new HttpError(503, "away");
  });
  await using service = await serve(app);
  await (await fetch(service.running.url)).text(); // before the page
  await using page = await open(service);
  await waitFor(() => channel("framework.request.steps").hasSubscribers, { subject: "the recorder" });
  for (let n = 0; n < 40; n++)
    await (await fetch(`${service.running.url}/${n % 4 === 0 ? "bug" : ""}`)).text();
  const reports = () =>
    page.messages.flatMap((message) => (message.type === "traffic" ? [message.traffic] : []));
  const replies = () =>
    [1, 4].map((at) => reports().reduce((sum, report) => sum + (report.replies[at] ?? 0), 0));
  await waitFor(() => replies().join() === "30,10", { subject: "all requests", timeoutMs: 60_000 });
  const latencies = reports().flatMap((report) => report.latencies);
  expect(latencies.reduce((sum, count) => sum + count, 0)).toBe(40);
  for (const { secs, loopDelaysMs } of reports()) {
    expect(secs).toBeGreaterThan(0.5);
    expect(loopDelaysMs[1]).toBeGreaterThanOrEqual(loopDelaysMs[0]);
  }
  const boiled = (message: Message) =>
    message.type === "histograms" && message.histograms[0]?.series[0]?.[1].includes(40) === true;
  await waitFor(() => page.messages.some(boiled), { subject: "the histogram", timeoutMs: 60_000 });
  const [report] = page.messages.filter(boiled);
  expect(report).toMatchObject({
    histograms: [{ name: "kettle_boiling_seconds", series: [['kind="water"', expect.any(Array)]] }],
  });
});

test("the routes are listed with their middleware in order", async () => {
  const app = devApp();
  app.get("/books", function listBooks() {
    return [];
  });
  await using service = await serve(app);
  await using page = await open(service);
  const [, hello = ""] = /event: hello\ndata: (.*)/.exec(page.text()) ?? [];
  const { routes, features } = JSON.parse(hello) as {
    readonly routes: readonly {
      readonly path: string;
      readonly steps: readonly { readonly name: string }[];
    }[];
    readonly features: readonly string[];
  };
  expect(features).toContain("enableDevtools");
  expect(routes.find(({ path }) => path === "/books")?.steps.map(({ name }) => name)).toEqual([
    "guard",
    "kettle",
    "devtools",
    "validation",
    "listBooks",
  ]);
});
