// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { HttpError, type HttpRequest, RateLimitError } from "@framework/core";
import { eachClient, socketClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { limitedApp, quiet, timedState } from "./limited-app.test-kit.ts";
import { RateLimitConfig } from "./rate-limit-config.ts";

const makeApp = () => {
  const app = limitedApp(RateLimitConfig.tokenBucket(3, 3600, { exemptPaths: ["/status"] }));
  app.post("/body", (request) => request.text());
  app.get("/status/deep", () => "up");
  app.get("/statuses", () => "limited");
  app.get("/free", { rateLimit: false }, () => "free");
  app.get("/own/{id}", { rateLimit: { maxRequests: 1 } }, () => "own");
  app.options("/", () => "options");
  app.featureRoute("/exempt", ["limits"]);
  app.featureRoute("/added", ["guards", "telemetry"]);
  return app;
};

const statuses = async (
  calls: number,
  send: () => Promise<{ readonly status: number }>,
): Promise<number[]> => {
  const seen = [];
  for (let call = 0; call < calls; call++) seen.push((await send()).status);
  return seen;
};

eachClient(
  test,
  makeApp,
  {
    "a client over the limit gets 429 with the standard error body and a Retry-After of whole seconds":
      async (client) => {
        expect(await statuses(3, () => client.get("/"))).toEqual([200, 200, 200]);
        const reply = await client.get("/");
        expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, "1200"]);
        expect(reply.json()).toEqual({
          error: "Too Many Requests",
          detail: "Rate limit exceeded; try again in 1200 s",
          status: 429,
          retry_after: 1200,
        });
      },
    "requests with unmatched paths, wrong methods or malformed paths count like any other": async (
      client,
    ) => {
      const paths = ["/nowhere", "/free/er", "/%zz"];
      const seen = [];
      for (const path of paths) seen.push((await client.get(path)).status);
      expect(seen).toEqual([404, 404, 400]);
      expect(await statuses(2, () => client.delete("/"))).toEqual([429, 429]);
    },
    "a denied request's body is not read": async (client) => {
      await statuses(3, () => client.get("/"));
      const body = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(new Uint8Array(100)) });
      expect((await client.post("/body", { body })).status).toBe(429); // although the body never ends
    },
    "routes that are exempt from limits, exempt paths and routes without a limit are never limited, and their replies have no RateLimit field":
      async (client, app) => {
        for (const path of ["/exempt", "/free", "/status/deep"]) {
          expect([path, await statuses(5, () => client.get(path))]).toEqual([
            path,
            [200, 200, 200, 200, 200],
          ]);
          expect((await client.get(path)).headers.get("ratelimit")).toBeNull();
        }
        expect(app.metrics()["rate_limit_requests_total"]).toEqual([
          { value: 0, labels: { result: "allowed" } },
          { value: 0, labels: { result: "denied" } },
        ]);
        expect(await statuses(4, () => client.get("/added"))).toEqual([200, 200, 200, 429]);
        expect((await client.get("/statuses")).status).toBe(429);
      },
    "an OPTIONS request that reaches the program is limited, even if it looks like a preflight": async (
      client,
    ) => {
      const headers = { origin: "http://other.test", "access-control-request-method": "GET" };
      expect(await statuses(4, () => client.options("/", { headers }))).toEqual([200, 200, 200, 429]);
    },
    "a route with its own limit counts separately, by its pattern": async (client) => {
      expect(await statuses(1, () => client.get("/own/1"))).toEqual([200]);
      const refused = await client.get("/own/2");
      expect([refused.status, refused.headers.get("ratelimit-policy")]).toEqual([
        429,
        '"GET /own/{id}";q=1;w=3600',
      ]);
      expect(await statuses(4, () => client.get("/"))).toEqual([200, 200, 200, 429]);
    },
    "HEAD counts as the GET route that answers it": async (client) => {
      await client.head("/own/1");
      expect((await client.get("/own/1")).status).toBe(429);
    },
    "allowed and denied requests are counted": async (client, app) => {
      await statuses(5, () => client.get("/"));
      expect(app.metrics()).toMatchObject({
        rate_limit_requests_total: [
          { value: 3, labels: { result: "allowed" } },
          { value: 2, labels: { result: "denied" } },
        ],
        rate_limit_store_errors_total: 0,
        rate_limit_store_calls_total: 5,
        rate_limit_max_requests: [
          { value: 3, labels: { limit: "default" } },
          { value: 1, labels: { limit: "GET /own/{id}" } },
        ],
      });
      expect(app.snapshot()).toMatchObject({ rateLimit: { allowed: 3, denied: 2, keys: 0 } });
    },
  },
  quiet.log === undefined ? {} : { log: quiet.log },
);

test("the default limit is 100 requests in 60 seconds", async () => {
  const app = limitedApp();
  await app.start({ ...quiet, shared: timedState().shared }); // on a virtual clock: on a busy machine permits would become free during the test
  await using client = testClient(app);
  const reply = await client.get("/");
  expect(reply.headers.get("ratelimit-policy")).toBe('"default";q=100;w=60');
  const seen = await statuses(99, () => client.get("/"));
  expect(new Set(seen)).toEqual(new Set([200]));
  expect((await client.get("/")).status).toBe(429);
});

test("clients are identified by address, and forwarded fields count only from trusted proxies", async () => {
  const send = async (trustedProxies: string[]) => {
    await using client = socketClient(limitedApp(RateLimitConfig.tokenBucket(1, 3600)), { trustedProxies });
    const from = (ip: string) => client.get("/", { headers: { "x-forwarded-for": ip } });
    const seen = [];
    for (const ip of ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2:1", "::ffff:192.0.2.1"]) {
      seen.push((await from(ip)).status);
    }
    return seen;
  };
  expect(await send([])).toEqual([200, 429, 429, 429, 429]);
  expect(await send(["127.0.0.1"])).toEqual([200, 200, 200, 429, 429]);
});

test("a custom key identifies clients, with the address as fallback", async () => {
  const key = (request: HttpRequest) => request.getHeader("x-tenant");
  await using client = testClient(limitedApp({ maxRequests: 1, windowSecs: 3600, key }));
  const as = async (tenant: string) => (await client.get("/", { headers: { "x-tenant": tenant } })).status;
  const long = "t".repeat(5000);
  const seen = [];
  for (const tenant of ["a", "b", "a", "none", "__proto__", long, `${long}2`, long])
    seen.push(await as(tenant));
  expect(seen).toEqual([200, 200, 429, 200, 200, 200, 200, 429]);
  expect(await statuses(2, () => client.get("/"))).toEqual([200, 429]);
});

test("a route can override the key, algorithm and window of the app", async () => {
  const { time, shared } = timedState();
  const app = limitedApp({ maxRequests: 2, windowSecs: 10 });
  const key = () => "everybody";
  app.get("/own", { rateLimit: { algorithm: "sliding_window", windowSecs: 60, key } }, () => "own");
  await app.start({ shared, ...quiet });
  await using client = testClient(app);
  expect(await statuses(3, () => client.get("/own"))).toEqual([200, 200, 429]);
  time.now = 31_000; // half of the route's window: a bucket would have a permit again, and the app's window has passed
  const refused = await client.get("/own");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "29"]);
  time.now = 60_000;
  expect((await client.get("/own")).status).toBe(200);
});

test("requests are denied before app.use, guards and handlers", async () => {
  const ran: string[] = [];
  const app = limitedApp({ maxRequests: 1, windowSecs: 3600 }).use((request, next) => {
    ran.push("use");
    return next(request);
  });
  app.get("/guarded", { guards: [() => Boolean(ran.push("guard"))] }, () => ran.push("handler"));
  await using client = testClient(app);
  expect(await statuses(2, () => client.get("/guarded"))).toEqual([200, 429]);
  expect(ran).toEqual(["use", "guard", "handler"]);
});

test("an exception handler can replace the 429, and the quota fields stay", async () => {
  const seen: unknown[] = [];
  const app = limitedApp({ maxRequests: 1, windowSecs: 3600 }).exceptionHandler(
    HttpError,
    (_request, error) => {
      seen.push([error instanceof RateLimitError, error.code]);
      return { sorry: error.status };
    },
  );
  await using client = testClient(app);
  await client.get("/");
  const reply = await client.get("/");
  expect([reply.status, reply.json()]).toEqual([429, { sorry: 429 }]);
  const names = ["retry-after", "ratelimit", "ratelimit-policy", "x-ratelimit-remaining"];
  expect(names.map((name) => reply.headers.get(name))).toEqual([
    "3600",
    '"default";r=0;t=3600',
    '"default";q=1;w=3600',
    "0",
  ]);
  expect(seen).toEqual([[true, "RATE_LIMIT_EXCEEDED"]]);
});

test("concurrent denials affect no other client", async () => {
  const app = limitedApp({
    maxRequests: 3,
    windowSecs: 3600,
    key: (request) => request.getHeader("x-client"),
  });
  await using client = testClient(app);
  const sent = Array.from({ length: 40 }, (_, index) =>
    client.get("/", { headers: { "x-client": `${index % 2}` } }),
  );
  const replies = await Promise.all(sent);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(6);
  expect((await client.get("/", { headers: { "x-client": "new" } })).status).toBe(200);
});

test("the key of a route falls back to the address for null, like that of the app", async () => {
  const app = limitedApp();
  const key = (request: HttpRequest) => request.getHeader("x-tenant");
  app.get("/own", { rateLimit: { maxRequests: 1, windowSecs: 3600, key } }, () => "own");
  await using client = testClient(app);
  const as = (headers: Readonly<Record<string, string>>) => client.get("/own", { headers });
  expect(await statuses(2, () => as({}))).toEqual([200, 429]);
  expect(await statuses(2, () => as({ "x-tenant": "a" }))).toEqual([200, 429]);
});
