// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { App, HttpError, RequestId, Response } from "@framework/core";
import { type Feature, Trace } from "@framework/core/feature";
import { eachClient, testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { logging, LoggingConfig } from "./index.ts";

interface Line {
  readonly [name: string]: unknown;
}

/** Adds endpoints like the health and metrics features, and an id like request-id. */
const endpoints: Feature = {
  name: "endpoints",
  install: (host) => {
    host.http.route("GET", "/health", () => "ok", { exempt: ["telemetry"] });
    host.http.route("GET", "/metrics", () => "ok", { exempt: ["telemetry"] });
    host.http.use("request-id", (request, next) => {
      request.context.set(RequestId, "id-1");
      return next(request);
    });
    return {};
  },
};

class LoggedApp extends App.with(logging, endpoints) {
  readonly text: string[] = [];

  get lines(): Line[] {
    const whole = this.text.join("");
    return whole
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  }

  /** Waits for this many request lines and returns them. */
  async requests(count: number): Promise<Line[]> {
    await waitFor(() => this.lines.filter(({ method }) => method !== undefined).length >= count);
    await new Promise((resolve) => setImmediate(resolve));
    const found = this.lines.filter(({ method }) => method !== undefined);
    expect(found).toHaveLength(count);
    return found;
  }
}

async function* slowly() {
  yield "one";
  yield "two";
}

const makeApp = (config: Partial<LoggingConfig> = {}) => {
  const app = new LoggedApp();
  app.enableLogging({
    format: "json",
    destination: { write: (text) => void app.text.push(text) },
    ...config,
  });
  app.get("/200", () => ({ ok: true }));
  app.get("/async", async () => "later");
  app.get("/204", () => null);
  app.get("/304", () => new Response(null, { status: 304, headers: { etag: '"a"' } }));
  app.get("/401", () => {
    throw new HttpError(401, "Authentication required");
  });
  app.get("/403", { guards: [() => false] }, () => "never");
  app.get("/500", () => {
    throw new Error("failed");
  });
  app.get("/stream", () => slowly());
  app.get("/large", () => "x".repeat(200_000));
  app.get("/books/{id}", (request) => request.params.id);
  return app;
};

eachClient(
  test,
  () => makeApp(),
  {
    "every request has one line, for every kind of reply": async (client, app) => {
      const expected: Line[] = [];
      const ask = async (method: string, path: string, status: number, bytes: number | null) => {
        expect((await client.request(method, path)).status).toBe(status);
        expected.push({ method, path, status, ...(bytes === null ? {} : { bytes }) });
      };
      await ask("GET", "/200", 200, 11);
      await ask("GET", "/async", 200, 5);
      await ask("GET", "/204", 204, 0);
      await ask("GET", "/304", 304, 0);
      await ask("HEAD", "/200", 200, 0);
      await ask("HEAD", "/stream", 200, 0);
      await ask("GET", "/stream", 200, 6);
      await ask("GET", "/large", 200, 200_000);
      await ask("OPTIONS", "/200", 204, 0);
      await ask("GET", "/401", 401, null);
      await ask("GET", "/403", 403, null);
      await ask("GET", "/nowhere", 404, null);
      await ask("POST", "/200", 405, null);
      await ask("GET", "/500", 500, null);
      const lines = await app.requests(expected.length);
      const indexOf = (line: Line) =>
        expected.findIndex(({ method, path }) => method === line["method"] && path === line["path"]);
      expect(lines.toSorted((a, b) => indexOf(a) - indexOf(b))).toMatchObject(expected); // the line of a stream is written at its end
    },
    "a line has the documented members, and no query": async (client, app) => {
      await client.get("/books/7", { query: { token: "canary" } });
      const [line] = await app.requests(1);
      expect(line).toEqual({
        level: "info",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        method: "GET",
        path: "/books/7",
        status: 200,
        latency: expect.any(Number),
        route: "/books/{id}",
        request_id: "id-1",
        bytes: 1,
        ...((await client.url("/")).startsWith("http://127.0.0.1") ? { client_ip: "127.0.0.1" } : {}),
      });
      expect(app.text.join("")).toMatch(/"latency":\d+\.\d{3}[,}]/);
    },
    "health and metrics requests have no line": async (client, app) => {
      await client.get("/health");
      await client.get("/metrics");
      await client.get("/200");
      expect((await app.requests(1))[0]).toMatchObject({ path: "/200" });
    },
    "the level follows the status": async (client, app) => {
      for (const path of ["/200", "/304", "/401", "/nowhere", "/500"]) await client.get(path);
      const lines = await app.requests(5);
      expect(lines.map(({ level }) => level)).toEqual(["info", "info", "warn", "warn", "error"]);
    },
  },
  { logs: true },
);

test("lines below the level are not written; silent writes none", async () => {
  const warn = makeApp({ level: "warn" });
  await using client = testClient(warn);
  for (const path of ["/200", "/401", "/stream"]) await client.get(path);
  expect(await warn.requests(1)).toMatchObject([{ status: 401 }]);

  const silent = makeApp({ level: "silent" });
  await using other = testClient(silent);
  await other.get("/500");
  silent.log().error("not even this");
  await new Promise((resolve) => setImmediate(resolve));
  expect(silent.text).toEqual([]);
});

test("with --no-logs request lines are not written, but errors of the app are", async () => {
  const app = makeApp();
  await app.start({ quiet: true });
  await app.fetch(new Request("http://host.test/200"));
  app.log().error("still here");
  await waitFor(() => app.lines.length > 0);
  expect(app.lines).toMatchObject([{ message: "still here" }]);
  await app.stop();
});

test("excluded paths cover the paths below them, but not paths with the same prefix", async () => {
  const app = makeApp({ excludePaths: ["/books"] });
  await using client = testClient(app);
  for (const path of ["/books/7", "/books", "/bookshop"]) await client.get(path);
  expect(await app.requests(1)).toMatchObject([{ path: "/bookshop" }]);
});

test("a line has the trace and span ids that a tracer has set", async () => {
  const app = makeApp();
  app.use((request, next) => {
    request.context.set(Trace, { traceId: "a".repeat(32), spanId: "b".repeat(16) });
    return next(request);
  });
  await using client = testClient(app);
  await client.get("/200");
  expect(await app.requests(1)).toMatchObject([{ trace_id: "a".repeat(32), span_id: "b".repeat(16) }]);
});

test("the text format is as documented, without colours outside a terminal", async () => {
  const app = makeApp({ format: "text" });
  await using client = testClient(app);
  await client.get("/books/%1B%5B31m");
  await client.get("/books/7");
  await waitFor(() => app.text.length > 0);
  const time = String.raw`\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\]`;
  expect(app.text.join("")).toMatch(
    new RegExp(String.raw`^${time} GET /books/7 -> 200 \(\d+\.\d{3} ms\)\n$`, "m"),
  );
  expect(app.text.join("")).not.toContain("\u001b");
});

test("maxLoggedBodyBytes without logBody is refused at start", async () => {
  const app = new (App.with(logging))().enableLogging({ maxLoggedBodyBytes: 10 });
  await expect(app.start()).rejects.toThrow("LoggingConfig.maxLoggedBodyBytes has no effect without logBody");
});

test("all mistakes of a configuration are reported together, at start", async () => {
  const app = new (App.with(logging))().enableLogging({
    format: "xml" as never,
    level: "loud" as never,
    excludePaths: ["health"],
    logHeaders: "all" as never,
    maxLoggedBodyBytes: 1e6,
    redact: ["a b"],
    destination: "out.log" as never,
    maxQueueBytes: 1,
  });
  await expect(app.start()).rejects.toThrow(
    /format[^]*level[^]*excludePaths[^]*logHeaders[^]*maxLoggedBodyBytes[^]*redact[^]*destination[^]*maxQueueBytes/,
  );
});

test("the complete record that `LoggingConfig.of` returns is accepted", async () => {
  for (const config of [LoggingConfig.of(), LoggingConfig.of({})]) {
    const app = new (App.with(logging))().enableLogging(config);
    await expect(app.start({ log: { info() {}, warn() {}, error() {} } })).resolves.toBeDefined();
    await app.stop();
  }
});
