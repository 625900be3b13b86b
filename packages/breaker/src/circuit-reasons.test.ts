import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { App, HttpError } from "@framework/core";
import type { RequestTrace } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { circuitBreaker } from "./index.ts";

test("each request has the state of its route's circuit as a reason", async () => {
  const traces: RequestTrace[] = [];
  const listen = (message: unknown): void => void traces.push(message as RequestTrace);
  subscribe("framework.request.steps", listen);
  try {
    const app = new (App.with(circuitBreaker))().enableCircuitBreaker({
      failureThreshold: 2,
      resetTimeout: 30,
    });
    app.get("/broken", () => {
      throw new HttpError(503, "broken");
    });
    app.get("/free", { breaker: false }, () => "hello");
    await app.start({ log: { info() {}, warn() {}, error() {} } });
    for (const path of ["/broken", "/broken", "/broken", "/free"])
      await app.fetch(new Request(`http://localhost${path}`));
  } finally {
    unsubscribe("framework.request.steps", listen);
  }
  const steps = traces.map(({ steps: reached }) => reached.find(({ feature }) => feature === "breaker"));
  expect(steps.map((step) => [step?.reasons[0], step?.passedOn])).toEqual([
    ["the circuit GET /broken is closed: 0 of 2 failures in a row", true],
    ["the circuit GET /broken is closed: 1 of 2 failures in a row", true],
    [expect.stringMatching(/^the circuit GET \/broken is open for \d+ s$/), false],
    ["the route has no circuit", true],
  ]);
});
