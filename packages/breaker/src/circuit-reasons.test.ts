import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { App, HttpError } from "@framework/core";
import type { RequestTrace } from "@framework/core/feature";
import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { circuitBreaker } from "./index.ts";

const quiet = { log: { info() {}, warn() {}, error() {} } };

/** Runs `act`. Returns the breaker's step of each request: its reason, and whether the request passed on. */
const stepsDuring = async (act: () => Promise<void>) => {
  const traces: RequestTrace[] = [];
  const listen = (message: unknown): void => void traces.push(message as RequestTrace);
  subscribe("framework.request.steps", listen);
  try {
    await act();
  } finally {
    unsubscribe("framework.request.steps", listen);
  }
  const steps = traces.map(({ steps: reached }) => reached.find(({ feature }) => feature === "breaker"));
  return steps.map((step) => [step?.reasons[0], step?.passedOn]);
};

test("the breaker step of a request reports the state of its route's circuit", async () => {
  const steps = await stepsDuring(async () => {
    const app = new (App.with(circuitBreaker))().enableCircuitBreaker({
      failureThreshold: 2,
      resetTimeout: 30,
    });
    app.get("/broken", () => {
      throw new HttpError(503, "broken");
    });
    app.get("/free", { breaker: false }, () => "hello");
    await app.start(quiet);
    for (const path of ["/broken", "/broken", "/broken", "/free"])
      await app.fetch(new Request(`http://localhost${path}`));
  });
  expect(steps).toEqual([
    ["the circuit GET /broken is closed: 0 of 2 failures in a row", true],
    ["the circuit GET /broken is closed: 1 of 2 failures in a row", true],
    [expect.stringMatching(/^the circuit GET \/broken is open: next trial in \d+ s$/), false],
    ["the route has no circuit", true],
  ]);
});

test.each([
  [1, "1 concurrent trial call passes"],
  [2, "2 concurrent trial calls pass"],
])(
  "with a halfOpenTarget of %i the step of a half-open circuit says that at most %s",
  async (halfOpenTarget, trials) => {
    const steps = await stepsDuring(async () => {
      const clock = virtualClock();
      const app = new (App.with(circuitBreaker))().enableCircuitBreaker({
        resetTimeout: 30,
        halfOpenTarget,
        clock,
      });
      const { promise: released, resolve: release } = Promise.withResolvers<string>();
      app.get("/", () => released);
      await app.start(quiet);
      await app.circuits.trip("GET /");
      await clock.advance(30_000);
      const get = () => app.fetch(new Request("http://localhost/"));
      const trialCalls = Array.from({ length: halfOpenTarget }, get);
      expect((await get()).status).toBe(503);
      release("hello");
      await Promise.all(trialCalls);
    });
    const reason = `the circuit GET / is half-open: at most ${trials}`;
    const passed = Array.from({ length: halfOpenTarget }, () => [reason, true]);
    expect(steps).toEqual([...passed, [reason, false]]);
  },
);
