import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { App } from "@framework/core";
import type { RequestTrace } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { rateLimit } from "./index.ts";

test("an allowed, a refused and an exempt request are explained, without the key of the client", async () => {
  const reasons: (readonly string[] | undefined)[] = [];
  const traces: RequestTrace[] = [];
  const listen = (message: unknown): void => void traces.push(message as RequestTrace);
  subscribe("framework.request.steps", listen);
  try {
    const app = new (App.with(rateLimit))().enableRateLimit({
      maxRequests: 1,
      windowSecs: 60,
      key: (request) => request.getHeader("x-api-key") ?? "none",
    });
    app.get("/", () => "hello");
    app.get("/free", { rateLimit: false }, () => "hello");
    for (const path of ["/", "/", "/free"])
      await app.fetch(new Request(`http://localhost${path}`, { headers: { "x-api-key": "sesame" } }));
    for (const { steps } of traces)
      reasons.push(steps.find(({ feature }) => feature === "rate-limit")?.reasons);
  } finally {
    unsubscribe("framework.request.steps", listen);
  }
  expect(reasons).toEqual([
    ["0 of 1 requests remain"],
    ["0 of 1 requests remain", expect.stringMatching(/^refused: retry after \d+ s$/)],
    ["no limit: the route or its path is exempt"],
  ]);
  expect(JSON.stringify(reasons)).not.toContain("sesame");
});
