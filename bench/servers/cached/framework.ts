/** The framework with `@framework/cache`. */
import { App } from "@framework/core";
import { serveProcessMetrics } from "../process-metrics.ts";
import { caching } from "./cache-package.ts";
import { FRESH_SECS, report } from "./report.ts";

const app = new (App.with(caching))().enableCaching({ ttl: FRESH_SECS });
app.get("/report", () => report());
await serveProcessMetrics();
await app.run({ env: "production", workers: 1, transport: "fast", argv: [] });
