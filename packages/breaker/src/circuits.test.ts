import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { guardedApp, statuses } from "./guarded-app.test-kit.ts";
import { circuitBreaker } from "./index.ts";
import { quiet } from "./service.test-kit.ts";

test("circuits can be opened and closed manually, and an unknown name suggests the nearest", async () => {
  const app = guardedApp();
  await using client = testClient(app, quiet);
  expect(await statuses(client, "/", 1)).toEqual([200]);
  await app.circuits.trip("GET /");
  expect(app.circuits.list()[0]).toEqual({ name: "GET /", state: "open", failures: 0, retryAfterSecs: 30 });
  expect(await statuses(client, "/", 1)).toEqual([503]);
  await app.circuits.reset("GET /");
  expect(await statuses(client, "/", 1)).toEqual([200]);
  await expect(app.circuits.trip("GET /own2")).rejects.toThrow(
    'There is no circuit named "GET /own2"; did you mean "GET /own"?',
  );
});

test("an operator's request that names an unknown circuit gets 404 with that name", async () => {
  const app = guardedApp();
  app.post("/ops/trip", (request) => app.circuits.trip(request.getQueryParam("circuit", "")));
  await using client = testClient(app, { env: "production" });
  const reply = await client.post("/ops/trip", { query: { circuit: "GET /x" } });
  expect(reply.status).toBe(404);
  expect(reply.json()).toMatchObject({ error: "Not Found", detail: expect.stringContaining('"GET /x"') });
  expect((await client.post("/ops/trip", { query: { circuit: "GET /" } })).status).toBe(204);
});

test("a circuit around the program's own calls is listed, with the app's settings by default", async () => {
  const app = guardedApp({ failureThreshold: 2, resetTimeout: 10 });
  const early = app.circuits.around<string, { status: number }>("payments", { halfOpenTarget: 1 });
  await app.start(quiet);
  const late = app.circuits.around<string, string>("mail", {
    isFailure: (output) => output === "bounced",
    fallback: (retryAfterSecs, to) => `${to} waits ${retryAfterSecs} s`,
  });
  for (let time = 0; time < 2; time++) void early("x", () => ({ status: 503 }));
  expect(() => early("x", () => ({ status: 200 }))).toThrow("Circuit open");
  expect([late("a", () => "bounced"), late("b", () => "bounced"), late("c", () => "sent")]).toEqual([
    "bounced",
    "bounced",
    "c waits 10 s",
  ]);
  await app.clock.advance(10_000);
  expect(early("x", () => ({ status: 200 }))).toEqual({ status: 200 });
  const states = app.circuits.list().map(({ name, state }) => `${name} ${state}`);
  expect([states[0], states.at(-1)]).toEqual(["payments closed", "mail half-open"]);
  expect(app.metrics()["circuit_rejected_total"]).toBe(2);
  expect(() => app.circuits.around("mail")).toThrow('a circuit named "mail" already exists');
  expect(() => app.circuits.around("other", { resetTimeout: -1 })).toThrow(
    "CircuitBreakerConfig.resetTimeout",
  );
  expect(() => app.circuits.around("typo", { resetTimeuot: 1 } as never)).toThrow('no field "resetTimeuot"');
  await app.stop();
});

test.each([
  ["route", "GET /"],
  ["app", "app"],
] as const)(
  "with scope %p an `around` named like a circuit of routes is a start error",
  async (scope, name) => {
    const app = guardedApp({ scope });
    app.circuits.around(name);
    await expect(app.start(quiet)).rejects.toMatchObject({
      cause: {
        code: "BREAKER_NAME_TAKEN",
        message: expect.stringContaining(`around("${name}") has the name of a circuit`),
      },
    });
  },
);

test("before enableCircuitBreaker app.circuits is empty, and around and trip throw", async () => {
  const app = new (App.with(circuitBreaker))();
  expect(app.circuits.list()).toEqual([]);
  expect(() => app.circuits.around("x")).toThrow("call enableCircuitBreaker before");
  await expect(app.circuits.trip("x")).rejects.toThrow("call enableCircuitBreaker before");
});
