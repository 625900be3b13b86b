import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { quiet } from "./limited-app.test-kit.ts";
import { rateLimit } from "./rate-limit.ts";
import { RateLimitConfig } from "./rate-limit-config.ts";

test("mistakes in the record and in route options are reported together at start", async () => {
  const app = new (App.with(rateLimit))().enableRateLimit({ maxRequests: 0, windowSecs: 1.5 });
  app.get("/a", { rateLimit: { maxRequests: -1, exempt: true } as never }, () => "");
  app.get("/b", { rateLimit: true as never }, () => "");
  const problem = await app.start(quiet).catch((error: Error) => error.message);
  for (const part of [
    "RateLimitConfig.maxRequests must be a whole number from 1 to 1000000000, but is 0",
    "RateLimitConfig.windowSecs",
    'rateLimit: rateLimit has no field "exempt"',
    "rateLimit.maxRequests",
    "GET /b",
  ]) {
    expect(problem).toContain(part);
  }
});

test("options of adaptive limits are refused at start without such a limit", async () => {
  const make = () => new (App.with(rateLimit))().enableRateLimit({ minRequests: 5 });
  await expect(make().start(quiet)).rejects.toThrow(
    'RateLimitConfig.minRequests has no effect without a limit with the algorithm "adaptive"',
  );
  const app = make();
  app.get("/adaptive", { rateLimit: { algorithm: "adaptive" } }, () => "adaptive");
  await (await app.start(quiet)).stop();
});

test("rateLimit: false is valid while the feature is disabled, a limit is not", async () => {
  const app = new (App.with(rateLimit))();
  app.get("/free", { rateLimit: false }, () => "free");
  await using client = testClient(app);
  expect((await client.get("/free")).status).toBe(200);
  const wrong = new (App.with(rateLimit))();
  wrong.get("/own", { rateLimit: { maxRequests: 1 } }, () => "own");
  await expect(wrong.start(quiet)).rejects.toThrow(
    'the option "rateLimit" does nothing without enableRateLimit',
  );
});

test("the record that `of` returns, with every field, is accepted", async () => {
  for (const config of [RateLimitConfig.of(), RateLimitConfig.of({ maxRequests: 5 })]) {
    const app = new (App.with(rateLimit))().enableRateLimit(config);
    await expect(app.start({ log: { info() {}, warn() {}, error() {} } })).resolves.toBeDefined();
    await app.stop();
  }
});
