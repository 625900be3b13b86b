// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { App, Response } from "@framework/core";
import { eachClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { fails, guardedApp, statuses } from "./guarded-app.test-kit.ts";
import { type CircuitTransition, circuitBreaker } from "./index.ts";

const quiet = { log: { info() {}, warn() {}, error() {} } };

eachClient(
  test,
  guardedApp,
  {
    "five failures in a row open the circuit of a route: 503 with Retry-After, without a call to the handler":
      async (client, { world, clock }) => {
        world.answer = fails();
        expect(await statuses(client, "/", 5)).toEqual([500, 500, 500, 500, 500]);
        await clock.advance(12_001);
        const reply = await client.get("/");
        expect([reply.status, reply.headers.get("retry-after"), world.handled]).toEqual([503, "18", 5]);
        expect(reply.json()).toEqual({
          error: "Service Unavailable",
          detail: "Circuit open",
          status: 503,
          retry_after: 18,
        });
        world.answer = () => "hello";
        expect(await statuses(client, "/books/1", 1)).toEqual([200]);
      },
    "any other reply resets the failure count": async (client, { world }) => {
      for (const status of [500, 502, 503, 504, 404, 500, 500, 500, 500, 501, 500, 500, 500, 500]) {
        world.answer = fails(status);
        expect((await client.get("/")).status).toBe(status);
      }
      expect((await client.get("/")).status).toBe(500);
      expect((await client.get("/")).status).toBe(503);
    },
    "rejections neither count as failures nor extend the open time": async (client, { world, clock }) => {
      world.answer = fails();
      await statuses(client, "/", 5);
      for (let round = 0; round < 10; round++) {
        await client.get("/");
        await clock.advance(3000);
      }
      world.answer = () => "hello";
      expect(await statuses(client, "/", 1)).toEqual([200]);
    },
    "three successful trials close a circuit, and a failed one reopens it for the whole `resetTimeout`":
      async (client, { world, clock, circuits }) => {
        const state = () => circuits.list().find(({ name }) => name === "GET /")?.state;
        world.answer = fails(502);
        await statuses(client, "/", 5);
        await clock.advance(30_000);
        world.answer = () => "hello";
        expect(await statuses(client, "/", 2)).toEqual([200, 200]);
        world.answer = fails(504);
        expect([await statuses(client, "/", 2), state()]).toEqual([[504, 503], "open"]);
        await clock.advance(29_999);
        expect(await statuses(client, "/", 1)).toEqual([503]);
        await clock.advance(1);
        world.answer = fails(404);
        expect([await statuses(client, "/", 3), state()]).toEqual([[404, 404, 404], "closed"]);
        world.answer = fails();
        expect(await statuses(client, "/", 5)).toEqual([500, 500, 500, 500, 500]);
      },
    "a route has one circuit for all its paths, and HEAD shares it with GET, POST does not": async (
      client,
      { world, circuits },
    ) => {
      world.answer = fails();
      for (let id = 0; id < 4; id++) await client.get(`/books/${id}`);
      await client.head("/books/4");
      expect([(await client.get("/books/5")).status, (await client.head("/books/6")).status]).toEqual([
        503, 503,
      ]);
      expect((await client.post("/books/5")).status).toBe(500);
      const names = circuits.list().map(({ name }) => name);
      expect(names).toEqual(["GET /", "GET /books/{id}", "POST /books/{id}", "GET /own", "GET /added"]);
    },
    "a route may override the settings or disable its circuit": async (client, { world }) => {
      world.answer = fails(404);
      expect(await statuses(client, "/own", 1)).toEqual([404]);
      const refused = await client.get("/own");
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"]);
      world.answer = fails();
      expect(await statuses(client, "/free", 8)).toEqual(Array.from({ length: 8 }, () => 500));
    },
    "routes of features have a circuit unless they are exempt from limits": async (client) => {
      expect(await statuses(client, "/exempt", 7)).toEqual(Array.from({ length: 7 }, () => 500));
      expect(await statuses(client, "/added", 6)).toEqual([500, 500, 500, 500, 500, 503]);
    },
    "unmatched paths create no circuits": async (client, { circuits }) => {
      for (let path = 0; path < 50; path++) await client.get(`/nowhere/${path}`);
      expect(circuits.list()).toHaveLength(5);
    },
    "metrics report states, rejections and transitions": async (client, app) => {
      app.world.answer = fails();
      await statuses(client, "/", 8);
      await client.get("/own");
      const { circuit_state: states, ...metrics } = app.metrics();
      expect(states).toContainEqual({ value: 2, labels: { circuit: "GET /" } });
      expect(states).toContainEqual({ value: 0, labels: { circuit: "GET /own" } });
      expect(metrics).toEqual({
        circuit_rejected_total: 3,
        circuit_transitions_total: [
          { value: 0, labels: { to: "closed" } },
          { value: 0, labels: { to: "half-open" } },
          { value: 1, labels: { to: "open" } },
        ],
      });
      expect(app.snapshot()).toMatchObject({ circuits: app.circuits.list() });
    },
  },
  quiet,
);

test("scope app has one circuit, except for routes with their own settings", async () => {
  const app = guardedApp({ scope: "app" });
  await using client = testClient(app, quiet);
  app.world.answer = fails();
  await statuses(client, "/", 3);
  await statuses(client, "/books/1", 2);
  expect([(await client.get("/")).status, (await client.post("/books/9")).status]).toEqual([503, 503]);
  expect((await client.get("/own")).status).toBe(500);
  expect(app.circuits.list().map(({ name, state }) => [name, state])).toEqual([
    ["app", "open"],
    ["GET /own", "closed"],
  ]);
});

test("an error counts as a failure if its reply has a failure status", async () => {
  const app = guardedApp().exceptionHandler(RangeError, () =>
    Response.json({ sorry: true }, { status: 409 }),
  );
  await using client = testClient(app, quiet);
  app.world.answer = () => {
    throw new RangeError("no");
  };
  expect(await statuses(client, "/", 6)).toEqual([409, 409, 409, 409, 409, 409]);
  app.world.answer = () => {
    throw new TypeError("no");
  };
  expect(await statuses(client, "/", 6)).toEqual([500, 500, 500, 500, 500, 503]);
});

test("a denial by a guard does not reach the circuit", async () => {
  const app = guardedApp({ failureThreshold: 1, failureCodes: [403, 500] });
  app.get("/guarded", { guards: [() => false] }, () => "never");
  await using client = testClient(app, quiet);
  expect(await statuses(client, "/guarded", 3)).toEqual([403, 403, 403]);
  expect(app.circuits.list().find(({ name }) => name === "GET /guarded")?.failures).toBe(0);
});

test("synchronous handlers stay synchronous for outer middleware", async () => {
  const app = guardedApp();
  let isPromise: boolean | null = null;
  app.use((request, next) => {
    const reply = next(request);
    isPromise = reply instanceof Promise;
    return reply;
  });
  await using client = testClient(app, quiet);
  await client.get("/");
  expect(isPromise).toBe(false);
  app.world.answer = fails();
  await statuses(client, "/", 5);
  await app.clock.advance(30_000);
  await client.get("/");
  expect(isPromise).toBe(false);
});

test("every change of state is reported and logged, and a failing listener has no effect", async () => {
  const seen: CircuitTransition[] = [];
  const logged: string[] = [];
  const app = guardedApp({
    onTransition: (transition) => {
      seen.push(transition);
      throw new Error("listener");
    },
  });
  const write = (message: string) => void logged.push(message);
  await app.start({ log: { info: write, warn: write, error: write } });
  await app.circuits.trip("GET /");
  await app.circuits.reset("GET /");
  expect(seen).toEqual([
    { name: "GET /", from: "closed", to: "open" },
    { name: "GET /", from: "open", to: "closed" },
  ]);
  const failed = "onTransition of the circuit breaker failed";
  expect(logged).toEqual([failed, 'circuit "GET /" is open', failed, 'circuit "GET /" is closed']);
  await app.stop();
});

test("more than a thousand circuits are a start error with a remedy", async () => {
  const make = (scope: "route" | "app") => {
    const app = new (App.with(circuitBreaker))().enableCircuitBreaker({ scope });
    for (let route = 0; route <= 1000; route++) app.get(`/${route}`, () => "");
    return app;
  };
  await expect(make("route").start(quiet)).rejects.toThrow('at most 1000 circuits; use scope: "app"');
  const app = make("app");
  await app.start(quiet);
  expect(app.circuits.list()).toHaveLength(1);
  await app.stop();
});

test("mistakes in the record and in route options are reported together at start", async () => {
  const app = new (App.with(circuitBreaker))().enableCircuitBreaker({
    failureThreshold: 0,
    failureCodes: [99],
    scope: "world" as "app",
  });
  app.get("/a", { breaker: { resetTimeout: "30" as never, extra: 1 } as never }, () => "");
  app.get("/b", { breaker: true as never }, () => "");
  const problem = await app.start(quiet).catch((error: Error) => error.message);
  for (const part of [
    "CircuitBreakerConfig.failureThreshold must be a whole number from 1 to 1000000, but is 0",
    "CircuitBreakerConfig.failureCodes must be a list of statuses from 200 to 599",
    "CircuitBreakerConfig.scope must be one of route, app",
    'breaker: breaker has no field "extra"',
    "breaker.resetTimeout",
    "GET /b",
  ]) {
    expect(problem).toContain(part);
  }
});

test("clients that upload slower than a route's time limit do not open its circuit", async () => {
  const app = new (App.with(circuitBreaker))().enableCircuitBreaker({ failureThreshold: 1 });
  app.post("/", { timeoutSecs: 0.5 }, (request) => request.text()); // long enough for the handler to begin reading on a busy machine
  await using client = testClient(app, quiet);
  const stalledBody = new ReadableStream({ pull: () => new Promise(() => {}) });
  expect((await client.post("/", { body: stalledBody })).status).toBe(408);
  expect((await client.post("/", { body: "hello" })).text).toBe("hello");
  expect(app.circuits.list()).toMatchObject([{ state: "closed", failures: 0 }]);
});
