import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "@framework/core";
import { greeting, orderText } from "../servers/workload.ts";
import * as packages from "./packages.ts";
import type { RequestInMemory } from "./request-in-memory.ts";

/** A feature, and the request to measure it with. */
export interface FeatureCase {
  /** Its package. */
  readonly package: string;
  /** Description of the request. */
  readonly description: string;
  /** Creates the app with the feature. */
  readonly createApp: (folder: string) => App;
  readonly request: () => RequestInMemory | Promise<RequestInMemory>;
  /** Requests of a slice. @default 1000 */
  readonly calls?: number;
  /** Path to request from the app without the feature. @default the same path */
  readonly baselinePath?: string;
}

const json: RequestInMemory = {
  method: "GET",
  target: "/json",
  fields: { host: "localhost", accept: "*/*", connection: "keep-alive" },
};
const withFields = (fields: Readonly<Record<string, string>>): RequestInMemory => ({
  ...json,
  fields: { ...json.fields, ...fields },
});

/** 2 KB of JSON. */
const list = Array.from({ length: 24 }, (_, id) => ({
  id,
  title: `Title of the book with number ${id}`,
  author: `Author ${id % 7}`,
  year: 1960 + id,
}));

const SECRET = "bench bench bench bench bench bench";
const bodyText = new TextEncoder().encode(orderText);
const fileText = "body { color: teal }\n".repeat(50);

/** Routes that all cases share. */
export const withRoutes = <A extends App>(app: A): A => {
  app.get("/json", () => greeting());
  app.get("/list", () => list);
  app.get("/text", () => fileText);
  app.post("/echo", (request) => request.json());
  return app;
};

/** All features, cheap and common ones first. */
export const featureCases: readonly FeatureCase[] = [
  {
    package: "request-id",
    description: "a new id",
    createApp: () => new (App.with(packages.requestId))().enableRequestId(),
    request: () => json,
  },
  {
    package: "logging",
    description: "a line to /dev/null",
    createApp: () =>
      new (App.with(packages.logging))().enableLogging({
        format: "json",
        destination: openSync("/dev/null", "a"),
      }),
    request: () => json,
  },
  {
    package: "cors",
    description: "a request from a listed origin",
    createApp: () => new (App.with(packages.cors))().enableCors(["https://shop.example"]),
    request: () => withFields({ origin: "https://shop.example" }),
  },
  {
    package: "security",
    description: "the default header fields",
    createApp: () => new (App.with(packages.securityHeaders))().enableSecurityHeaders(),
    request: () => json,
  },
  {
    package: "etag",
    description: "a tag of 52 bytes",
    createApp: () => new (App.with(packages.etag))().enableEtag(),
    request: () => json,
  },
  {
    package: "compression",
    description: "2 KB of JSON, gzip",
    createApp: () => new (App.with(packages.compression))().enableCompression(),
    request: () => ({ ...withFields({ "accept-encoding": "gzip" }), target: "/list" }),
    calls: 100,
  },
  {
    package: "body-limit",
    description: "a body of 200 bytes",
    createApp: () => new (App.with(packages.bodyLimit))().enableBodyLimit(),
    request: () => ({
      ...withFields({ "content-type": "application/json", "content-length": String(bodyText.byteLength) }),
      method: "POST",
      target: "/echo",
      body: bodyText,
    }),
  },
  {
    package: "static-files",
    description: "a file of 1 KB, compared with a handler that returns the same text",
    createApp: (folder) => {
      writeFileSync(join(folder, "site.txt"), fileText);
      return new (App.with(packages.staticFiles))().enableStaticFiles({ directory: folder });
    },
    request: () => ({ ...json, target: "/static/site.txt" }),
    baselinePath: "/text",
    calls: 100,
  },
  {
    package: "rate-limit",
    description: "a request within the limit",
    createApp: () =>
      new (App.with(packages.rateLimit))().enableRateLimit(
        packages.RateLimitConfig.tokenBucket(1_000_000_000, 60),
      ),
    request: () => json,
  },
  {
    package: "cache",
    description: "a hit, compared with a handler that does nothing",
    createApp: () => new (App.with(packages.caching))().enableCaching({ ttl: 3600 }),
    request: () => json,
  },
  {
    package: "breaker",
    description: "a closed circuit",
    createApp: () => new (App.with(packages.circuitBreaker))().enableCircuitBreaker(),
    request: () => json,
  },
  {
    package: "auth",
    description: "a JSON Web Token, HS256",
    createApp: () => new App().use(new packages.JwtAuth({ secret: SECRET })),
    request: async () =>
      withFields({
        authorization: `Bearer ${await new packages.JwtAuth({ secret: SECRET }).createToken({ sub: "ann" })}`,
      }),
    calls: 200,
  },
  {
    package: "metrics",
    description: "a counted and timed request",
    createApp: () => new (App.with(packages.prometheus))().enablePrometheus(),
    request: () => json,
  },
  {
    package: "openapi",
    description: "a request to another route",
    createApp: () => new (App.with(packages.openapi))().enableOpenapi(),
    request: () => json,
  },
  {
    package: "health",
    description: "a request to another route",
    createApp: () => new (App.with(packages.healthChecks))().enableHealthChecks(),
    request: () => json,
  },
];
