import { connect } from "node:net";
import { App, Response } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { expect, test } from "@jest/globals";
import { get, tracedService } from "./traced-app.test-kit.ts";
import { telemetry } from "./telemetry.ts";

test("a request becomes a span with the route's pattern and the attributes of the stable semantic conventions", async () => {
  await using service = await tracedService({ serviceName: "books" });
  const { app } = service;
  app.get("/books/{id}", ({ params }) => ({ id: params.id }));
  const reply = await app.fetch(
    new Request("http://shop.test:8080/books/7?genre=novel", { headers: { "user-agent": "probe/1" } }),
  );
  await reply.text();
  const { spans } = await service.finish();
  expect(spans).toHaveLength(1);
  expect(spans[0]).toMatchObject({
    name: "GET /books/{id}",
    kind: "server",
    status: 0,
    parentSpanId: "",
    traceId: reply.headers.get("x-trace-id"),
    scope: "@framework/telemetry",
    resource: {
      "service.name": "books",
      "service.version": "0.1.0",
      "telemetry.sdk.language": "nodejs",
      "telemetry.sdk.name": "opentelemetry",
      "telemetry.sdk.version": expect.stringMatching(/^\d+\.\d+\.\d+/),
      "process.pid": process.pid,
    },
    attributes: {
      "http.request.method": "GET",
      "http.route": "/books/{id}",
      "http.response.status_code": 200,
      "url.path": "/books/7",
      "url.query": "genre=novel",
      "url.scheme": "http",
      "server.address": "shop.test",
      "server.port": 8080,
      "user_agent.original": "probe/1",
    },
  });
  expect(spans[0]?.endNanos).toBeGreaterThanOrEqual(spans[0]?.startNanos ?? 0n);
});

test("each span of a route has its own request's method, host, status and query, and attributes of the program take precedence", async () => {
  await using service = await tracedService();
  const { app } = service;
  app.get("/books/{id}", ({ params, query }) => {
    if (query.get("set") !== null)
      trace.getActiveSpan()?.setAttributes({ "server.address": "of the program", shelf: 7 });
    return params.id === "1" ? { id: 1 } : Response.text("none", { status: 404 });
  });
  const urls = ["http://a.test/books/1", "http://b.test:81/books/2?q=x", "http://a.test/books/1?set=1"];
  for (const url of [...urls, ...urls]) await (await app.fetch(new Request(url))).text();
  await (await app.fetch(new Request("http://a.test/books/1", { method: "HEAD" }))).text();
  const { spans } = await service.finish();
  const common = { "http.request.method": "GET", "http.route": "/books/{id}", "url.scheme": "http" };
  const first = {
    ...common,
    "server.address": "a.test",
    "url.path": "/books/1",
    "http.response.status_code": 200,
  };
  const second = {
    ...common,
    "server.address": "b.test",
    "server.port": 81,
    "url.path": "/books/2",
    "url.query": "q=x",
    "http.response.status_code": 404,
  };
  const third = { ...first, "server.address": "of the program", shelf: 7, "url.query": "set=1" };
  const head = { ...first, "http.request.method": "HEAD" };
  expect(spans.map(({ attributes }) => attributes)).toEqual([
    first,
    second,
    third,
    first,
    second,
    third,
    head,
  ]);
});

test("a 4xx reply is not an error of the span, and clients cannot choose span names", async () => {
  await using service = await tracedService();
  const { app } = service;
  app.get("/", () => "home");
  await get(app, "/nowhere/at/all");
  await (await app.fetch(new Request("http://shop.test/", { method: "BREW" }))).text();
  const [unmatched, unknownMethod] = (await service.finish()).spans;
  expect(unmatched).toMatchObject({
    name: "GET",
    status: 0,
    attributes: { "http.response.status_code": 404 },
  });
  expect(unmatched?.attributes["http.route"]).toBeUndefined();
  expect(unknownMethod).toMatchObject({
    name: "HTTP",
    attributes: { "http.request.method": "_OTHER", "http.request.method_original": "BREW" },
  });
});

test("a thrown error marks the span and is its exception event", async () => {
  await using service = await tracedService();
  const { app } = service;
  app.get("/bug", () => {
    throw new TypeError("cannot open https://ann:pw-canary@db.test/");
  });
  await app.start({ env: "production", log: { info() {}, warn() {}, error() {} } });
  await get(app, "/bug");
  const [span] = (await service.finish()).spans;
  expect(span).toMatchObject({
    status: 2,
    attributes: { "http.response.status_code": 500, "error.type": "TypeError" },
    events: [
      {
        name: "exception",
        attributes: {
          "exception.type": "TypeError",
          "exception.message": "cannot open https://REDACTED@db.test/",
          "exception.stacktrace": expect.stringContaining("requests.test.ts"),
        },
      },
    ],
  });
  expect(
    JSON.stringify(span, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
  ).not.toContain("pw-canary");
});

test("an error of a streamed reply marks the span; a client that disconnects adds no exception", async () => {
  await using service = await tracedService();
  const { app } = service;
  app.get("/broken", () =>
    Response.stream(
      (async function* () {
        yield "a";
        await Promise.resolve();
        throw new TypeError("no more rows in https://ann:pw-canary@db.test/");
      })(),
    ),
  );
  app.get("/unfinished", ({ signal }) =>
    Response.stream(
      (async function* () {
        yield "a";
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        throw new Error("unread");
      })(),
    ),
  );
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  await expect(fetch(`${running.url}/broken`).then((reply) => reply.text())).rejects.toThrow("terminated");
  const unfinished = await fetch(`${running.url}/unfinished`);
  await unfinished.body?.cancel();
  await running.close();
  const { spans } = await service.finish();
  const [broken, disconnected] = spans.filter(({ kind }) => kind === "server");
  expect(broken).toMatchObject({
    status: 2,
    attributes: { "http.response.status_code": 200, "error.type": "TypeError" },
    events: [
      {
        name: "exception",
        attributes: {
          "exception.type": "TypeError",
          "exception.message": "no more rows in https://REDACTED@db.test/",
        },
      },
    ],
  });
  expect(disconnected).toMatchObject({ status: 2, attributes: { "error.type": "aborted" }, events: [] });
});

test("the span of a request without a Host field has its path and query", async () => {
  await using service = await tracedService();
  service.app.get("/ok/{id}", () => "home");
  const running = await service.app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  const client = connect(Number(new URL(running.url).port), "127.0.0.1");
  client.end("GET /ok/1?a=b HTTP/1.0\r\n\r\n");
  await client.resume().toArray();
  await running.close();
  const [span] = (await service.finish()).spans;
  expect(span?.attributes).toMatchObject({ "url.path": "/ok/1", "url.query": "a=b" });
});

test("excluded paths, exempt routes of features and their outgoing calls have no spans", async () => {
  const callPeer = async (): Promise<string> => (await fetch(`${service.receiver.url}/peer`)).text();
  const probe: Feature = {
    name: "probe",
    install(host) {
      host.http.route("GET", "/probe", callPeer, { exempt: ["telemetry"] });
      return {};
    },
  };
  const app = new (App.with(telemetry, probe))();
  await using service = await tracedService({ excludedPaths: ["/internal"] }, { app });
  app.get("/internal/state", callPeer);
  app.get("/internals", () => "shown");
  for (const path of ["/internal/state", "/probe"]) expect((await get(app, path)).status).toBe(200);
  const reply = await get(app, "/internals");
  const { spans } = await service.finish();
  expect(spans.map(({ attributes }) => attributes["url.path"])).toEqual(["/internals"]);
  expect(reply.headers.get("x-trace-id")).toBe(spans[0]?.traceId);
});

test("values that the program sets on a request's span are exported within the limits, and take precedence over the framework's", async () => {
  await using service = await tracedService();
  service.app.get("/books/{id}", () => {
    const span = trace.getActiveSpan();
    span?.setAttribute("book.title", "x".repeat(2000)).setAttributes({ "url.path": "/own", pages: [1, 2] });
    span?.setAttribute("shelf", { row: 7, label: ["x".repeat(2000)] });
    span?.addEvent("lent", { to: "ann" }).addLink({ context: span.spanContext() }).updateName("GET book");
    span?.setStatus({ code: SpanStatusCode.ERROR, message: "lost" });
    span?.recordException(new RangeError("too long"));
    for (let at = 0; at < 200; at++) span?.setAttribute(`n${at}`, at);
    return "x";
  });
  await get(service.app, "/books/7");
  const [span] = (await service.finish()).spans;
  expect(span).toMatchObject({
    name: "GET book",
    status: 2,
    statusMessage: "lost",
    attributes: {
      "url.path": "/own",
      "book.title": "x".repeat(1024),
      pages: [1, 2],
      "http.route": "/books/{id}",
    },
    events: [
      { name: "lent", attributes: { to: "ann" } },
      { name: "exception", attributes: { "exception.type": "RangeError", "exception.message": "too long" } },
    ],
    links: [{ spanId: span?.spanId }],
  });
  expect(Object.keys(span?.attributes ?? {}).filter((name) => /^n\d/.test(name))).toHaveLength(128 - 4);
});
