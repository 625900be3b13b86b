import { anyOf, ApiKeyAuth, BasicAuth, JwtAuth } from "@framework/auth";
import { circuitBreaker } from "@framework/breaker";
import { caching } from "@framework/cache";
import { compression } from "@framework/compression";
import { App } from "@framework/core";
import { command, cqrs, query } from "@framework/cqrs";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import type { Feature, Host } from "@framework/core/feature";
import { etag } from "@framework/etag";
import { rateLimit } from "@framework/rate-limit";
import { csrf } from "@framework/security";
import { sessions } from "@framework/sessions";
import { expect, test } from "@jest/globals";
import { z } from "zod";

const stack = () => {
  let host: Host | undefined;
  const reader: Feature = {
    name: "reader",
    install: (given) => {
      host = given;
      return {};
    },
  };
  const app = new (App.with(rateLimit, circuitBreaker, caching, compression, etag, csrf, sessions, reader))();
  app.get("/read", () => 1);
  app.post("/write", () => 1);
  app.get("/free", { rateLimit: false, breaker: false, cache: false, compress: false }, () => 1);
  return { app, host: () => host as unknown as Host }; // set by `install`, which ran in the constructor
};

const secret = "0123456789abcdef0123456789abcdef";

type Stack = ReturnType<typeof stack>["app"];

/** Defines a command and a query with endpoints. */
const operations = () => {
  const options = { input: z.object({}), output: z.string() };
  return {
    change: command("Change", { ...options, http: { path: "/change" }, idempotency: "required" }),
    find: query("Find", { ...options, http: { path: "/find" } }),
  };
};

test("command and query endpoints, and routes with idempotency keys, imply their replies in addition to those of other features", async () => {
  let host: Host | undefined;
  const reader: Feature = {
    name: "reader",
    install: (given) => {
      host = given;
      return {};
    },
  };
  const app = new (App.with(
    rateLimit,
    circuitBreaker,
    caching,
    etag,
    csrf,
    database,
    durable,
    cqrs,
    reader,
  ))();
  app
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableRateLimit()
    .enableCsrf()
    .enableCaching()
    .enableEtag();
  const { change, find } = operations();
  app.cqrs.handle(change, () => "in").handle(find, () => "in");
  app.post("/pay", { idempotency: "required" }, () => 1);
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const { http } = host as unknown as Host; // set by `install`
  const implied = Object.fromEntries(
    http
      .routes()
      .filter(({ addedBy }) => addedBy === null)
      .map((route) => [
        `${route.method} ${route.path}`,
        [...new Set(http.impliedReplies(route).map(({ status }) => status))].toSorted((a, b) => a - b),
      ]),
  );
  await app.stop();
  expect(implied).toEqual({
    "POST /change": [400, 403, 409, 413, 415, 422, 429, 503, 504],
    "GET /find": [304, 400, 422, 429, 503, 504],
    "POST /pay": [400, 403, 409, 413, 415, 422, 429, 503],
  });
});

/** Returns the statuses implied by the routes, except the statuses of core: 400, 413 and 415. */
const implied = async (enable: (app: Stack) => unknown): Promise<Record<string, number[]>> => {
  const { app, host } = stack();
  enable(app);
  await app.start({ env: "production" });
  const { http } = host();
  const ofCore = new Set([400, 413, 415]);
  const entries = http
    .routes()
    .filter(({ addedBy }) => addedBy === null)
    .map((route) => {
      const statuses = http.impliedReplies(route).map(({ status }) => status);
      return [route.path, statuses.filter((status) => !ofCore.has(status))] as const;
    });
  await app.stop();
  return Object.fromEntries(entries);
};

test.each<[string, (app: Stack) => unknown, Record<string, number[]>]>([
  ["no feature", () => {}, { "/read": [], "/write": [], "/free": [] }],
  ["rate limit", (app) => app.enableRateLimit(), { "/read": [429], "/write": [429], "/free": [] }],
  [
    "rate limit that denies if its store fails",
    (app) => app.enableRateLimit({ onStoreError: "deny" }),
    { "/read": [429, 503], "/write": [429, 503], "/free": [] },
  ],
  ["breaker", (app) => app.enableCircuitBreaker(), { "/read": [503], "/write": [503], "/free": [] }],
  ["cache", (app) => app.enableCaching(), { "/read": [304, 416, 504], "/write": [], "/free": [] }],
  ["ETag", (app) => app.enableEtag(), { "/read": [304], "/write": [], "/free": [304] }],
  [
    "JWT authentication that skips /free",
    (app) => app.use(new JwtAuth({ secret }).skipPath("/free")),
    { "/read": [401, 503], "/write": [401, 503], "/free": [] },
  ],
  [
    "Basic authentication",
    (app) => app.use(new BasicAuth(() => true)),
    { "/read": [401, 503], "/write": [401, 503], "/free": [401, 503] },
  ],
  [
    "an API key",
    (app) => app.use(new ApiKeyAuth({ k: "me" })),
    { "/read": [401], "/write": [401], "/free": [401] },
  ],
  [
    "any of three authentications",
    (app) => app.use(anyOf(new ApiKeyAuth({ k: "me" }), new BasicAuth(() => true), new JwtAuth({ secret }))),
    { "/read": [401, 503], "/write": [401, 503], "/free": [401, 503] },
  ],
  ["compression", (app) => app.enableCompression(), { "/read": [406], "/write": [406], "/free": [] }],
  [
    "sessions",
    (app) => app.enableSessions({ skipPaths: ["/free"] }),
    { "/read": [409, 503], "/write": [409, 503], "/free": [] },
  ],
  ["CSRF", (app) => app.enableCsrf(), { "/read": [], "/write": [403], "/free": [] }],
])("%s: enabling it implies its replies on the affected routes", async (_name, enable, expected) => {
  expect(await implied(enable)).toEqual(expected);
});

test("only cached routes use the fields of cached replies and imply a 304", async () => {
  const { app, host } = stack();
  app.enableCaching({ excludePaths: ["/private"] });
  app.get("/private/read", () => 1);
  app.head("/read", () => 1);
  await app.start({ env: "production" });
  const { http } = host();
  const found = http
    .routes()
    .map((route) => [
      `${route.method} ${route.path}`,
      http.usedFields(route).map(({ name }) => name),
      http.impliedReplies(route).some(({ status }) => status === 304),
    ]);
  await app.stop();
  expect(found).toEqual([
    ["GET /read", ["Age", "Cache-Status", "ETag", "X-Cache"], true],
    ["POST /write", [], false],
    ["GET /free", [], false],
    ["GET /private/read", [], false],
    ["HEAD /read", [], false],
  ]);
});

test("paths that a feature skips imply neither its replies nor its fields", async () => {
  const { app, host } = stack();
  app.enableRateLimit({ exemptPaths: ["/read"] }).enableCsrf({ secret, skipPaths: ["/write"] });
  await app.start();
  const { http } = host();
  const found = http
    .routes()
    .filter(({ path }) => path === "/read" || path === "/write")
    .map((route) => [
      route.path,
      http
        .impliedReplies(route)
        .map(({ status }) => status)
        .filter((status) => status === 403 || status === 429),
      http.usedFields(route).some(({ name }) => name.startsWith("RateLimit")),
      http.usedFields(route).some(({ name }) => name === "X-CSRF-Token"),
    ]);
  await app.stop();
  expect(found).toEqual([
    ["/read", [], false, false],
    ["/write", [429], true, false],
  ]);
});
