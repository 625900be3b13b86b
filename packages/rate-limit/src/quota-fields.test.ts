import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { limitedApp, quiet, structuredList, timedState } from "./limited-app.test-kit.ts";
import { RateLimitConfig } from "./rate-limit-config.ts";

const fieldsOf = (headers: Headers) => {
  const [policy] = structuredList(headers.get("ratelimit-policy"));
  const [limit] = structuredList(headers.get("ratelimit"));
  const legacy = ["limit", "remaining", "reset"].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
  return { policy, limit, legacy, retryAfter: headers.get("retry-after") };
};

const startApp = async (config: Parameters<typeof limitedApp>[0]) => {
  const { time, shared } = timedState();
  const app = limitedApp(config);
  await app.start({ shared, ...quiet });
  return { time, app, client: testClient(app) };
};

test("the first of 100 requests per 60 s leaves 99, and the full quota is back after a second", async () => {
  const { client } = await startApp(RateLimitConfig.tokenBucket(100, 60));
  const before = Math.ceil(Date.now() / 1000);
  const reply = await client.get("/");
  const after = Math.ceil(Date.now() / 1000);
  expect(reply.headers.get("ratelimit-policy")).toBe('"default";q=100;w=60');
  expect(reply.headers.get("ratelimit")).toBe('"default";r=99;t=1');
  const { legacy, retryAfter } = fieldsOf(reply.headers);
  expect([legacy.slice(0, 2), retryAfter]).toEqual([[100, 99], null]);
  expect(legacy[2]).toBeGreaterThanOrEqual(before + 1);
  expect(legacy[2]).toBeLessThanOrEqual(after + 2);
});

test("t is the time to the full quota while requests remain, and equals Retry-After after that", async () => {
  const { time, client } = await startApp(RateLimitConfig.slidingWindow(2, 60));
  const seen = [];
  for (const now of [0, 10_000, 20_000]) {
    time.now = now;
    const { headers } = await client.get("/");
    seen.push([headers.get("ratelimit"), headers.get("retry-after")]);
  }
  expect(seen).toEqual([
    ['"default";r=1;t=60', null],
    ['"default";r=0;t=50', null],
    ['"default";r=0;t=40', "40"],
  ]);
});

test("route names are valid structured field strings for any pattern", async () => {
  const app = limitedApp();
  app.get('/größe/"a\\b"/{id}', { rateLimit: {} }, () => "");
  await using client = testClient(app);
  const { headers } = await client.get(`/${encodeURIComponent("größe")}/%22a%5Cb%22/7`);
  expect(structuredList(headers.get("ratelimit-policy"))).toEqual([
    { name: 'GET /gr%C3%B6%C3%9Fe/"a\\b"/{id}', parameters: { q: 100, w: 60 } },
  ]);
  expect(structuredList(headers.get("ratelimit"))[0]?.name).toBe('GET /gr%C3%B6%C3%9Fe/"a\\b"/{id}');
});

test("RateLimit and X-RateLimit fields agree on every reply, and a retry after Retry-After always succeeds", async () => {
  let retries = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("tokenBucket" as const, "slidingWindow" as const),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.integer({ min: 0, max: 4000 }), { minLength: 1, maxLength: 30 }),
      async (algorithm, max, window, waits) => {
        const { time, client } = await startApp(RateLimitConfig[algorithm](max, window));
        let retryAt = Infinity;
        for (const wait of waits) {
          time.now += wait;
          const before = Date.now() / 1000;
          const { status, headers } = await client.get("/");
          const after = Date.now() / 1000;
          const { policy, limit, legacy, retryAfter } = fieldsOf(headers);
          const { r = -1, t = -1 } = limit?.parameters ?? {};
          expect(policy).toEqual({ name: "default", parameters: { q: max, w: window } });
          expect([legacy[0], legacy[1], r < max]).toEqual([max, r, true]);
          const decidedAt = (legacy[2] ?? 0) - t;
          expect([decidedAt > before - 2, decidedAt < after + 2]).toEqual([true, true]);
          expect([status, retryAfter]).toEqual(status === 429 ? [429, `${Math.max(1, t)}`] : [200, null]);
          expect(status === 429 && time.now >= retryAt).toBe(false);
          retryAt = status === 429 ? time.now + 1000 * Number(retryAfter) : Infinity;
        }
        if (retryAt === Infinity) return;
        retries++;
        time.now = retryAt;
        expect((await client.get("/")).status).toBe(200);
      },
    ),
    { numRuns: 60 },
  );
  expect(retries).toBeGreaterThan(0);
});

test("replies to undecided requests have only the policy fields", async () => {
  const store = { take: () => Promise.reject(new Error("gone")) };
  const { client } = await startApp({ store, onStoreError: "deny" });
  const { headers } = await client.get("/");
  expect([...headers.keys()].filter((name) => name.includes("ratelimit"))).toEqual([
    "ratelimit-policy",
    "x-ratelimit-limit",
  ]);
});
