import { App } from "@framework/core";
import type { PermitStore } from "@framework/core/feature";
import { inProcessState } from "@framework/core/testing";
import { rateLimit, RateLimitConfig } from "./index.ts";

const app = new (App.with(rateLimit))();

app
  .enableRateLimit()
  .enableRateLimit(RateLimitConfig.tokenBucket(100, 60))
  .enableRateLimit(RateLimitConfig.slidingWindow())
  .enableRateLimit(RateLimitConfig.adaptive(100, 60, { minRequests: 5, cpuThreshold: 0.5 }))
  .enableRateLimit({ maxRequests: 5, key: (request) => request.getHeader("x-tenant") })
  .get("/", { rateLimit: false }, () => "hello");
app.get("/own", { rateLimit: { algorithm: "adaptive", windowSecs: 5 } }, () => "own");
app.get("/by-tenant", { rateLimit: { key: (request) => request.getHeader("x-tenant") } }, () => "own");
app.get("/by-id", { rateLimit: { key: ({ params }) => Number(params["id"]) } }, () => "own");
app.get("/by-key", { rateLimit: { key: RateLimitConfig.of().key ?? (() => undefined) } }, () => "own");

// the permits of the shared state are a store
app.enableRateLimit({ store: inProcessState().permits satisfies PermitStore });

// a store need not support leases
app.enableRateLimit({
  store: {
    take: async (_key, { capacity }, { spend }) => ({ spent: spend, free: capacity, waitMs: 0, resetMs: 0 }),
  },
});

// @ts-expect-error the method exists only if the feature is composed
new App().enableRateLimit();

// @ts-expect-error a misspelt option
app.enableRateLimit({ maxRequest: 5 });

// @ts-expect-error there are three algorithms
app.enableRateLimit({ algorithm: "leaky_bucket" });

// @ts-expect-error numbers are positional
RateLimitConfig.tokenBucket(100, 60, { windowSecs: 5 });

// @ts-expect-error a store returns the spent permits
app.enableRateLimit({ store: { take: async () => ({ free: 1, waitMs: 0, resetMs: 0 }) } });

// @ts-expect-error a route has no store
app.get("/store", { rateLimit: { store: "workers" } }, () => "");
