/** The framework with `@framework/rate-limit`: one limit for all workers. */
import { App } from "@framework/core";
import { serveProcessMetrics } from "../process-metrics.ts";
import { greeting } from "../workload.ts";
import { CLIENT_FIELD, MAX_REQUESTS, WINDOW_SECS } from "./client.ts";
import { rateLimit, RateLimitConfig } from "./rate-limit-package.ts";
import { WORKERS } from "./workers.ts";

const app = new (App.with(rateLimit))().enableRateLimit(
  RateLimitConfig.tokenBucket(MAX_REQUESTS, WINDOW_SECS, {
    key: (request) => request.getHeader(CLIENT_FIELD, ""),
  }),
);
app.get("/json", () => greeting());
await serveProcessMetrics();
await app.run({ env: "production", workers: WORKERS, transport: "fast", argv: [] });
