import { join } from "node:path";
import { JwtAuth } from "@framework/auth";
import { sqlTokenStore } from "@framework/database";
import { RateLimitConfig } from "@framework/rate-limit";
import { readingRoutes, writingRoutes } from "./notes.ts";
import { ServiceApp } from "./service-app.ts";
import { readSettings, type Settings } from "./settings.ts";

/** Composes the service without starting it, so tests and tools can also use it. */
export const createApp = (settings: Settings = readSettings()): ServiceApp => {
  const app = new ServiceApp()
    .enableLogging({ level: settings.logLevel })
    .enableRequestId()
    .enableSecurityHeaders()
    .enableCors([...settings.origins])
    .enableCompression()
    .enableRateLimit(RateLimitConfig.tokenBucket(settings.requestsPerMinute, 60))
    .enableOpenapi({ title: "my-service", version: "1.0.0" })
    .enableHealthChecks()
    .enablePrometheus()
    .enableDatabase({
      url: settings.databaseUrl,
      migrations: join(import.meta.dirname, "../migrations"),
      migrateAtStart: true,
    });
  if (settings.redisUrl !== undefined) app.enableRedis({ url: settings.redisUrl, shared: true });
  const auth = new JwtAuth({ secret: settings.authSecret.reveal(), store: sqlTokenStore(app.db) });
  return app.registerBlueprint(readingRoutes(app.db)).registerBlueprint(writingRoutes(app.db, auth));
};
