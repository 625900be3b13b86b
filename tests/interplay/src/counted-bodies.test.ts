import { App } from "@framework/core";
import { bodyLimit } from "@framework/body-limit";
import { circuitBreaker } from "@framework/breaker";
import { caching } from "@framework/cache";
import { rateLimit } from "@framework/rate-limit";
import { eachClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";

const makeApp = () => {
  const app = new (App.with(bodyLimit, rateLimit))()
    .enableBodyLimit(10)
    .enableRateLimit({ maxRequests: 2, windowSecs: 3600 });
  app.post("/", (request) => request.text());
  return app;
};

eachClient(
  test,
  makeApp,
  {
    "a request with a too large body counts toward the rate limit, and gets 429 above it": async (client) => {
      const seen = [];
      for (let call = 0; call < 3; call++)
        seen.push((await client.post("/", { body: "x".repeat(11) })).status);
      expect(seen).toEqual([413, 413, 429]);
    },
    "a request with an unsupported content coding counts toward the rate limit": async (client) => {
      const headers = { "content-encoding": "br" };
      const seen = [];
      for (let call = 0; call < 3; call++) seen.push((await client.post("/", { body: "x", headers })).status);
      expect(seen).toEqual([415, 415, 429]);
    },
  },
  { log: { info() {}, warn() {}, error() {} } },
);

test("route options that are false are valid while their features are disabled", async () => {
  const app = new (App.with(caching, circuitBreaker, rateLimit))();
  app.get("/", { cache: false, breaker: false, rateLimit: false }, () => "hello");
  await using client = testClient(app);
  expect((await client.get("/")).status).toBe(200);
});
