import { App } from "@framework/core";
import { RateLimitConfig } from "./rate-limit-config.ts";
import { rateLimit } from "./rate-limit.ts";

/** A service with a limit per value of `X-Client`, a long store timeout and denial on store errors. */
const app = new (App.with(rateLimit))().enableRateLimit(
  RateLimitConfig.slidingWindow(1000, 3600, {
    key: (request) => request.getHeader("x-client"),
    storeTimeoutMs: 10_000,
    onStoreError: "deny",
  }),
);
app.get("/", () => `pid ${process.pid}`);
await app.run();
