// More than 250 lines, because each feature is one entry of the same list.
import { createRequire } from "node:module";
import { lazyFeature } from "./lazy-feature.ts";
import { messagingWithKafka } from "./messaging-with-kafka.ts";

// A synchronous `enableX` can load a module only with `require`, which also loads ES modules.
const require = createRequire(import.meta.url);

const telemetry = lazyFeature({
  name: "telemetry",
  methods: ["enableTelemetry"],
  load: () => (require("@framework/telemetry") as typeof import("@framework/telemetry")).telemetry,
});

const logging = lazyFeature({
  name: "logging",
  methods: ["enableLogging", "log"],
  load: () => (require("@framework/logging") as typeof import("@framework/logging")).logging,
});

const requestId = lazyFeature({
  name: "request-id",
  methods: ["enableRequestId"],
  load: () => (require("@framework/request-id") as typeof import("@framework/request-id")).requestId,
});

const cors = lazyFeature({
  name: "cors",
  methods: ["enableCors"],
  load: () => (require("@framework/cors") as typeof import("@framework/cors")).cors,
});

const securityHeaders = lazyFeature({
  name: "security-headers",
  methods: ["enableSecurityHeaders"],
  load: () => (require("@framework/security") as typeof import("@framework/security")).securityHeaders,
});

const csrf = lazyFeature({
  name: "csrf",
  methods: ["enableCsrf"],
  load: () => (require("@framework/security") as typeof import("@framework/security")).csrf,
});

const sessions = lazyFeature({
  name: "sessions",
  methods: ["enableSessions"],
  values: ["sessions"],
  load: () => (require("@framework/sessions") as typeof import("@framework/sessions")).sessions,
});

const compression = lazyFeature({
  name: "compression",
  methods: ["enableCompression"],
  options: ["compress"],
  load: () => (require("@framework/compression") as typeof import("@framework/compression")).compression,
});

const etag = lazyFeature({
  name: "etag",
  methods: ["enableEtag"],
  load: () => (require("@framework/etag") as typeof import("@framework/etag")).etag,
});

const bodyLimit = lazyFeature({
  name: "body-limit",
  methods: ["enableBodyLimit"],
  load: () => (require("@framework/body-limit") as typeof import("@framework/body-limit")).bodyLimit,
});

const rateLimit = lazyFeature({
  name: "rate-limit",
  methods: ["enableRateLimit"],
  options: ["rateLimit"],
  load: () => (require("@framework/rate-limit") as typeof import("@framework/rate-limit")).rateLimit,
});

const caching = lazyFeature({
  name: "cache",
  methods: ["enableCaching", "invalidateCache"],
  options: ["cache"],
  load: () => (require("@framework/cache") as typeof import("@framework/cache")).caching,
});

const circuitBreaker = lazyFeature({
  name: "breaker",
  methods: ["enableCircuitBreaker"],
  values: ["circuits"],
  options: ["breaker"],
  load: () => (require("@framework/breaker") as typeof import("@framework/breaker")).circuitBreaker,
});

const staticFiles = lazyFeature({
  name: "static-files",
  methods: ["enableStaticFiles"],
  load: () => (require("@framework/static-files") as typeof import("@framework/static-files")).staticFiles,
});

const openapi = lazyFeature({
  name: "openapi",
  methods: ["enableOpenapi"],
  options: ["hidden"],
  load: () => (require("@framework/openapi") as typeof import("@framework/openapi")).openapi,
});

const deprecation = lazyFeature({
  name: "deprecation",
  methods: ["enableDeprecation"],
  options: ["deprecated", "sunset", "successor"],
  load: () => (require("@framework/deprecation") as typeof import("@framework/deprecation")).deprecation,
});

const healthChecks = lazyFeature({
  name: "health",
  methods: ["enableHealthChecks", "healthCheck"],
  load: () => (require("@framework/health") as typeof import("@framework/health")).healthChecks,
});

const http2 = lazyFeature({
  name: "http2",
  methods: ["enableHttp2"],
  load: () => (require("@framework/http2") as typeof import("@framework/http2")).http2,
});

const prometheus = lazyFeature({
  name: "metrics",
  methods: ["enablePrometheus"],
  values: ["metrics"],
  load: () => (require("@framework/metrics") as typeof import("@framework/metrics")).prometheus,
});

const database = lazyFeature({
  name: "database",
  methods: ["enableDatabase"],
  values: ["db"],
  load: () => (require("@framework/database") as typeof import("@framework/database")).database,
});

const durable = lazyFeature({
  name: "durable",
  methods: ["enableDurable"],
  values: ["durable"],
  load: () => (require("@framework/durable") as typeof import("@framework/durable")).durable,
});

const eventSourcing = lazyFeature({
  name: "event-sourcing",
  methods: ["enableEventSourcing"],
  values: ["eventStore"],
  load: () =>
    (require("@framework/event-sourcing") as typeof import("@framework/event-sourcing")).eventSourcing,
});

const cqrs = lazyFeature({
  name: "cqrs",
  methods: ["enableCqrs"],
  values: ["cqrs"],
  options: ["idempotency"],
  load: () => (require("@framework/cqrs") as typeof import("@framework/cqrs")).cqrs,
});

const jobs = lazyFeature({
  name: "jobs",
  methods: [],
  values: ["jobs"],
  load: () => (require("@framework/jobs") as typeof import("@framework/jobs")).jobs,
});

const messaging = lazyFeature({
  name: "messaging",
  methods: ["enableMessaging"],
  values: ["messaging"],
  load: () =>
    messagingWithKafka(
      (require("@framework/messaging") as typeof import("@framework/messaging")).messaging,
      () => (require("@framework/kafka") as typeof import("@framework/kafka")).kafka,
    ),
});

const rabbitmq = lazyFeature({
  name: "rabbitmq",
  methods: ["enableRabbitmq"],
  load: () => (require("@framework/rabbitmq") as typeof import("@framework/rabbitmq")).rabbitmq,
});

const sqs = lazyFeature({
  name: "sqs",
  methods: ["enableSqs"],
  load: () => (require("@framework/sqs") as typeof import("@framework/sqs")).sqs,
});

const sagas = lazyFeature({
  name: "saga",
  methods: ["enableSaga"],
  values: ["saga"],
  load: () => (require("@framework/saga") as typeof import("@framework/saga")).sagas,
});

const asyncapi = lazyFeature({
  name: "asyncapi",
  methods: ["enableAsyncapi"],
  load: () =>
    (require("@framework/openapi/asyncapi") as typeof import("@framework/openapi/asyncapi")).asyncapi,
});

const redis = lazyFeature({
  name: "redis",
  methods: ["enableRedis", "withRedis"],
  values: ["redis"],
  load: () => (require("@framework/redis") as typeof import("@framework/redis")).redis,
});

const websocket = lazyFeature({
  name: "websocket",
  methods: ["enableWebSocket", "websocket", "room"],
  routeMethods: ["websocket"],
  load: () => (require("@framework/websocket") as typeof import("@framework/websocket")).websocket,
});

const graphql = lazyFeature({
  name: "graphql",
  methods: ["enableGraphql"],
  load: () => (require("@framework/graphql") as typeof import("@framework/graphql")).graphql,
});

const grpc = lazyFeature({
  name: "grpc",
  methods: ["enableGrpc", "addGrpcService", "grpcMethod", "grpcClient"],
  values: ["grpcAddress"],
  load: () => (require("@framework/grpc") as typeof import("@framework/grpc")).grpc,
});

const devtools = lazyFeature({
  name: "devtools",
  methods: ["enableDevtools"],
  values: ["devtoolsUrl"],
  load: () => (require("@framework/devtools") as typeof import("@framework/devtools")).devtools,
});

/** Every feature in installation order: a feature follows the features it depends on. */
export const features = [
  telemetry, // first, so that it stops last and exports the spans of all others
  logging,
  requestId,
  cors,
  securityHeaders,
  csrf,
  sessions,
  compression,
  etag,
  bodyLimit,
  rateLimit,
  caching,
  circuitBreaker,
  staticFiles,
  openapi,
  deprecation,
  http2,
  healthChecks,
  prometheus,
  database,
  durable,
  eventSourcing,
  cqrs,
  jobs,
  messaging,
  rabbitmq,
  sqs,
  sagas,
  asyncapi,
  redis,
  websocket,
  graphql,
  grpc,
  devtools,
] as const;
