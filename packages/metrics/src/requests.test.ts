// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { connect } from "node:net";
import { App, HttpError, Response } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { eachClient, socketClient, type TestClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Parsed, parseExposition } from "./exposition-parser.test-kit.ts";
import { prometheus } from "./index.ts";

/** A feature with a probe, which metrics must omit. */
const probes: Feature = {
  name: "probes",
  install: (host) => {
    host.http.route("GET", "/health/live", () => "ok", { exempt: ["telemetry"] });
    host.http.route("GET", "/docs", () => "docs", { exempt: ["limits"] });
    return {};
  },
};

let release = (): void => {};

const makeApp = () => {
  const app = new (App.with(prometheus, probes))().enablePrometheus();
  app.get("/books/{id}", ({ params }) => ({ id: params.id }));
  app.post("/books", async (request) => Response.json(await request.json(), { status: 201 }));
  app.delete("/books/{id}", () => Response.noContent());
  app.get("/unchanged", () => new Response(null, { status: 304 }));
  app.get("/fails", () => {
    throw new Error("failed");
  });
  app.get("/refused/{status}", ({ params }) => {
    throw new HttpError(Number(params.status), "refused");
  });
  app.get("/closed", { guards: [() => false] }, () => "never");
  app.post("/small", { maxBodyBytes: 10 }, async (request) => (await request.body()).byteLength);
  app.get("/stream", () => Response.stream(["abc", "defg", "h"]));
  app.get("/waits", () => new Promise<string>((resolve) => void (release = () => resolve("done"))));
  return app;
};

const scrape = async (client: TestClient): Promise<Parsed> =>
  parseExposition((await client.get("/metrics")).text);

const valuesOf = (parsed: Parsed, method: string, path: string, status: number) => {
  const labels = { method, path, status: String(status) };
  const value = (name: string) => parsed.value(`framework_http_${name}`, labels);
  return {
    requests: parsed.value("framework_http_requests_total", { method, status: String(status) }),
    durations: value("request_duration_seconds_count"),
    replies: value("response_size_bytes_count"),
    replyBytes: value("response_size_bytes_sum"),
    requestBytes: value("request_size_bytes_sum"),
  };
};

eachClient(test, makeApp, {
  "every reply is counted once, by method, route pattern and status": async (client) => {
    const rows: [string, string, string, number, object?][] = [
      ["GET", "/books/7", "/books/{id}", 200],
      ["POST", "/books", "/books", 201, { json: {} }],
      ["DELETE", "/books/7", "/books/{id}", 204],
      ["GET", "/unchanged", "/unchanged", 304],
      ["POST", "/books", "/books", 400, { body: "{" }],
      ["GET", "/refused/401", "/refused/{status}", 401],
      ["GET", "/closed", "/closed", 403],
      ["GET", "/nowhere/at/all", "unmatched", 404],
      ["PUT", "/books/7", "unmatched", 405],
      ["POST", "/small", "/small", 413, { body: "x".repeat(11) }],
      ["GET", "/refused/429", "/refused/{status}", 429],
      ["GET", "/fails", "/fails", 500],
      ["GET", "/refused/503", "/refused/{status}", 503],
      ["OPTIONS", "/books", "unmatched", 204],
    ];
    for (const [method, target, , status, init] of rows) {
      expect([target, (await client.request(method, target, init)).status]).toEqual([target, status]);
    }
    const parsed = await scrape(client);
    for (const [method, , path, status] of rows) {
      expect([path, valuesOf(parsed, method, path, status)]).toEqual([
        path,
        expect.objectContaining({ requests: 1, durations: 1, replies: 1 }),
      ]);
    }
    const total = parsed.families
      .get("framework_http_requests_total")
      ?.samples.reduce((sum, { value }) => sum + value, 0);
    expect(total).toBe(rows.length);
  },
  "HEAD has its own method label and no body": async (client) => {
    await client.head("/books/7");
    expect(valuesOf(await scrape(client), "HEAD", "/books/{id}", 200)).toMatchObject({
      requests: 1,
      replyBytes: 0,
    });
  },
  "the sizes of bodies are recorded, including streamed bodies": async (client) => {
    await client.get("/books/7");
    await client.get("/stream");
    await client.post("/books", { headers: { "content-type": "application/json" }, body: '{"a":1}' });
    const parsed = await scrape(client);
    expect(valuesOf(parsed, "GET", "/books/{id}", 200)).toMatchObject({ replyBytes: 10, requestBytes: 0 });
    expect(valuesOf(parsed, "GET", "/stream", 200)).toMatchObject({ replies: 1, replyBytes: 8 });
    expect(valuesOf(parsed, "POST", "/books", 201).replyBytes).toBe(7);
  },
  "probes and scrapes are omitted, other endpoints of features are counted": async (client) => {
    for (const path of ["/health/live", "/metrics", "/metrics", "/docs"]) await client.get(path);
    const parsed = await scrape(client);
    const { samples = [] } = parsed.families.get("framework_http_requests_total") ?? {};
    expect(samples).toEqual([
      { name: "framework_http_requests_total", labels: { method: "GET", status: "200" }, value: 1 },
    ]);
    expect(valuesOf(parsed, "GET", "/docs", 200).durations).toBe(1);
  },
  "a request is in flight until its reply is complete": async (client) => {
    const inFlight = async () => (await scrape(client)).value("framework_http_requests_in_flight");
    expect(await inFlight()).toBe(0);
    const waiting = client.get("/waits");
    await waitFor(async () => (await inFlight()) === 1);
    release();
    expect((await waiting).text).toBe("done");
    await waitFor(async () => (await inFlight()) === 0);
  },
  "a request whose client disconnects is removed from the gauge, and counts as 499 once": async (client) => {
    const inFlight = async () => (await scrape(client)).value("framework_http_requests_in_flight");
    const aborter = new AbortController();
    const waiting = client.get("/waits", { signal: aborter.signal }).catch(() => "gone");
    await waitFor(async () => (await inFlight()) === 1);
    aborter.abort();
    expect(await waiting).toBe("gone");
    await waitFor(async () => (await inFlight()) === 0);
    const gone = valuesOf(await scrape(client), "GET", "/waits", 499);
    expect(gone).toMatchObject({ requests: 1, durations: 1, replyBytes: 0 });
    release();
    await client.get("/books/7");
    const parsed = await scrape(client);
    const durations = [499, 200].map((status) => valuesOf(parsed, "GET", "/waits", status).durations ?? 0);
    expect(durations).toEqual([1, 0]);
    expect(await inFlight()).toBe(0);
  },
  "the endpoint answers GET and HEAD, is not cacheable, and needs no route of the app": async (client) => {
    const reply = await client.get("/metrics");
    expect([reply.status, reply.headers.get("content-type"), reply.headers.get("cache-control")]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
      "no-store",
    ]);
    const head = await client.head("/metrics");
    expect([head.status, head.text]).toEqual([200, ""]);
    expect((await client.post("/metrics")).status).toBe(405);
  },
});

test.each(["fast", "node"] as const)(
  "an upgraded connection is not in flight (%s transport)",
  async (transport) => {
    const app = makeApp();
    let close = (): void => {};
    app.get("/socket", ({ upgrade }) =>
      upgrade === null
        ? "no upgrade"
        : upgrade.accept(({ socket }) => {
            socket.write(
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            );
            close = () => void socket.destroy();
          }),
    );
    await using client = socketClient(app, { transport });
    await client.get("/books/1");
    const { promise: upgraded, resolve } = Promise.withResolvers<void>();
    const { request } = await import("node:http");
    const upgradeRequest = request(await client.url("/socket"), {
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
    });
    upgradeRequest.on("upgrade", (_, socket) => {
      socket.on("error", () => {}).on("close", () => {});
      resolve();
    });
    upgradeRequest.end();
    await upgraded;
    await waitFor(async () => (await scrape(client)).value("framework_http_requests_in_flight") === 0);
    expect(valuesOf(await scrape(client), "GET", "/socket", 101).requests).toBe(1);
    close();
  },
);

test.each(["fast", "node"] as const)(
  "an upload that its client aborts counts as 499 (%s transport)",
  async (transport) => {
    const app = makeApp();
    let isStarted = false;
    app.post("/upload", async (request) => {
      isStarted = true;
      return (await request.body()).byteLength;
    });
    await using client = socketClient(app, { transport });
    const { port } = new URL(await client.url("/"));
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    socket.write("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\npart");
    await waitFor(() => isStarted);
    socket.destroy();
    const countOf = async (status: number) =>
      valuesOf(await scrape(client), "POST", "/upload", status).durations ?? 0;
    await waitFor(async () => (await countOf(499)) === 1);
    await client.get("/books/7");
    expect([await countOf(499), await countOf(400)]).toEqual([1, 0]);
  },
);

test.each(["fast", "node"] as const)(
  "a request refused by the %s transport is counted and not in flight",
  async (transport) => {
    await using client = socketClient(makeApp(), { transport });
    const { connect } = await import("node:net");
    const socket = connect(Number(new URL(await client.url("/")).port), "127.0.0.1");
    socket.resume().end("malformed\r\n\r\n");
    await new Promise((resolve) => socket.once("close", resolve));
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x-${index}`, "1"]));
    await client.get("/books/1", { headers: many });
    await waitFor(async () => (await scrape(client)).value("framework_http_requests_in_flight") === 0);
    const parsed = await scrape(client);
    expect(valuesOf(parsed, "OTHER", "unmatched", 400)).toMatchObject({ requests: 1, durations: 1 });
    expect(valuesOf(parsed, "GET", "unmatched", 431)).toMatchObject({ requests: 1, durations: 1 });
  },
);
