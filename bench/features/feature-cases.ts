import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "@framework/core";
import { greeting, orderText } from "../servers/workload.ts";
import * as packages from "./packages.ts";
import type { RequestInMemory } from "./request-in-memory.ts";

/** A feature, and the request that it is measured with. */
export interface FeatureCase {
  /** Its package. */
  readonly package: string;
  /** What the request is, where the package alone does not say it. */
  readonly what: string;
  /** An app with the feature; everything else is as in the app without. */
  readonly withFeature: (folder: string) => App;
  readonly request: () => RequestInMemory | Promise<RequestInMemory>;
  /** Requests of a slice. @default 1000 */
  readonly calls?: number;
  /** What the app without the feature is asked for instead. */
  readonly insteadOf?: string;
}

const json: RequestInMemory = {
  method: "GET",
  target: "/json",
  fields: { host: "localhost", accept: "*/*", connection: "keep-alive" },
};
const asking = (fields: Readonly<Record<string, string>>): RequestInMemory => ({
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

/** Features one by one, the cheap and common ones first. */
export const featureCases: readonly FeatureCase[] = [
  {
    package: "request-id",
    what: "a new id",
    withFeature: () => new (App.with(packages.requestId))().enableRequestId(),
    request: () => json,
  },
  {
    package: "logging",
    what: "a line to /dev/null",
    withFeature: () =>
      new (App.with(packages.logging))().enableLogging({
        format: "json",
        destination: openSync("/dev/null", "a"),
      }),
    request: () => json,
  },
  {
    package: "cors",
    what: "a request of a listed origin",
    withFeature: () => new (App.with(packages.cors))().enableCors(["https://shop.example"]),
    request: () => asking({ origin: "https://shop.example" }),
  },
  {
    package: "security",
    what: "the default header fields",
    withFeature: () => new (App.with(packages.securityHeaders))().enableSecurityHeaders(),
    request: () => json,
  },
  {
    package: "etag",
    what: "a tag of 52 bytes",
    withFeature: () => new (App.with(packages.etag))().enableEtag(),
    request: () => json,
  },
  {
    package: "compression",
    what: "2 KB of JSON, gzip",
    withFeature: () => new (App.with(packages.compression))().enableCompression(),
    request: () => ({ ...asking({ "accept-encoding": "gzip" }), target: "/list" }),
    calls: 100,
  },
  {
    package: "body-limit",
    what: "a body of 200 bytes",
    withFeature: () => new (App.with(packages.bodyLimit))().enableBodyLimit(),
    request: () => ({
      ...asking({ "content-type": "application/json", "content-length": String(bodyText.byteLength) }),
      method: "POST",
      target: "/echo",
      body: bodyText,
    }),
  },
  {
    package: "static-files",
    what: "a file of 1 KB instead of a handler with the same text",
    withFeature: (folder) => {
      writeFileSync(join(folder, "site.txt"), fileText);
      return new (App.with(packages.staticFiles))().enableStaticFiles({ directory: folder });
    },
    request: () => ({ ...json, target: "/static/site.txt" }),
    insteadOf: "/text",
    calls: 100,
  },
  {
    package: "rate-limit",
    what: "a request within the limit",
    withFeature: () =>
      new (App.with(packages.rateLimit))().enableRateLimit(
        packages.RateLimitConfig.tokenBucket(1_000_000_000, 60),
      ),
    request: () => json,
  },
  {
    package: "cache",
    what: "a hit, instead of a handler that does nothing",
    withFeature: () => new (App.with(packages.caching))().enableCaching({ ttl: 3600 }),
    request: () => json,
  },
  {
    package: "breaker",
    what: "a closed circuit",
    withFeature: () => new (App.with(packages.circuitBreaker))().enableCircuitBreaker(),
    request: () => json,
  },
  {
    package: "auth",
    what: "a JSON Web Token, HS256",
    withFeature: () => new App().use(new packages.JwtAuth({ secret: SECRET })),
    request: async () =>
      asking({
        authorization: `Bearer ${await new packages.JwtAuth({ secret: SECRET }).createToken({ sub: "ann" })}`,
      }),
    calls: 200,
  },
  {
    package: "metrics",
    what: "a counted and timed request",
    withFeature: () => new (App.with(packages.prometheus))().enablePrometheus(),
    request: () => json,
  },
  {
    package: "openapi",
    what: "a request beside the document",
    withFeature: () => new (App.with(packages.openapi))().enableOpenapi(),
    request: () => json,
  },
  {
    package: "health",
    what: "a request beside the probes",
    withFeature: () => new (App.with(packages.healthChecks))().enableHealthChecks(),
    request: () => json,
  },
];
