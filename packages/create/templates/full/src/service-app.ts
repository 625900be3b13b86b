import { compression } from "@framework/compression";
import { App } from "@framework/core";
import { cors } from "@framework/cors";
import { database } from "@framework/database";
import { healthChecks } from "@framework/health";
import { logging } from "@framework/logging";
import { prometheus } from "@framework/metrics";
import { openapi } from "@framework/openapi";
import { rateLimit } from "@framework/rate-limit";
import { redis } from "@framework/redis";
import { requestId } from "@framework/request-id";
import { securityHeaders } from "@framework/security";

/** An app with the features of the service; `app.ts` enables them. */
export class ServiceApp extends App.with(
  logging,
  requestId,
  securityHeaders,
  cors,
  compression,
  rateLimit,
  openapi,
  healthChecks,
  prometheus,
  redis,
  database,
) {}
