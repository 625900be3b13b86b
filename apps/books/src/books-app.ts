import { bodyLimit } from "@framework/body-limit";
import { circuitBreaker } from "@framework/breaker";
import { caching } from "@framework/cache";
import { compression } from "@framework/compression";
import { App } from "@framework/core";
import { cors } from "@framework/cors";
import { cqrs } from "@framework/cqrs";
import { database } from "@framework/database";
import { deprecation } from "@framework/deprecation";
import { devtools } from "@framework/devtools";
import { durable } from "@framework/durable";
import { etag } from "@framework/etag";
import { eventSourcing } from "@framework/event-sourcing";
import { graphql } from "@framework/graphql";
import { grpc } from "@framework/grpc";
import { healthChecks } from "@framework/health";
import { jobs } from "@framework/jobs";
import { logging } from "@framework/logging";
import { prometheus } from "@framework/metrics";
import { messaging } from "@framework/messaging";
import { openapi } from "@framework/openapi";
import { asyncapi } from "@framework/openapi/asyncapi";
import { rateLimit } from "@framework/rate-limit";
import { redis } from "@framework/redis";
import { requestId } from "@framework/request-id";
import { sagas } from "@framework/saga";
import { csrf, securityHeaders } from "@framework/security";
import { sessions } from "@framework/sessions";
import { staticFiles } from "@framework/static-files";
import { telemetry } from "@framework/telemetry";
import { websocket } from "@framework/websocket";

/** The application class: `App` with every feature of the service. */
export class BooksApp extends App.with(
  telemetry, // first: it stops last, so it can send the spans of all others
  logging,
  requestId,
  cors,
  securityHeaders,
  compression,
  etag,
  bodyLimit,
  rateLimit,
  caching,
  circuitBreaker,
  sessions,
  csrf,
  deprecation,
  staticFiles,
  openapi,
  healthChecks,
  prometheus,
  database,
  durable,
  eventSourcing,
  cqrs,
  jobs,
  messaging,
  sagas,
  asyncapi,
  redis,
  websocket,
  graphql,
  grpc,
  devtools,
) {}
