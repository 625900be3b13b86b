import { App } from "@framework/core";
import { RateLimitConfig } from "./rate-limit-config.ts";
import { rateLimit } from "./rate-limit.ts";

/** A service with a limit per value of `X-Client`, and default store settings. */
const app = new (App.with(rateLimit))().enableRateLimit(
  RateLimitConfig.tokenBucket(40, 36_000, { key: (request) => request.getHeader("x-client") }),
);
app.get("/", () => `pid ${process.pid}`);
await app.run();
