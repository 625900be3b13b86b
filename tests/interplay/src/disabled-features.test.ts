import { circuitBreaker } from "@framework/breaker";
import { caching } from "@framework/cache";
import { App } from "@framework/core";
import { rateLimit } from "@framework/rate-limit";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";

test("route options that are false are valid while their features are disabled", async () => {
  const app = new (App.with(caching, circuitBreaker, rateLimit))();
  app.get("/", { cache: false, breaker: false, rateLimit: false }, () => "hello");
  await using client = testClient(app);
  expect((await client.get("/")).status).toBe(200);
});
