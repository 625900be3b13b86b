import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isPromise, type PermitResult, type Permits, systemClock } from "@framework/core/feature";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { Debts } from "./debts.ts";
import { Limit } from "./limit.ts";
import { cluster, limitedApp, quiet, timedState } from "./limited-app.test-kit.ts";
import { directQuotas } from "./quota.ts";
import { RateLimitConfig } from "./rate-limit-config.ts";

const limit = new Limit("default", RateLimitConfig.of({ maxRequests: 3, windowSecs: 3600 }));

/** Creates a store with the given `take`. */
const storeWith = (take: Permits["take"]): Permits => ({ take });
const broken = storeWith(() => Promise.reject(new Error("gone")));

test("with one process a request creates no promise", () => {
  const { shared } = timedState();
  const permits = directQuotas({
    store: shared.permits,
    timeoutMs: 50,
    debts: new Debts({ clock: systemClock }),
    onError() {},
  });
  expect(isPromise(permits.take(limit, "k"))).toBe(false);
  expect(permits.take(limit, "k")).toEqual({ allowed: true, remaining: 1, waitMs: 0, resetMs: 2_400_000 });
});

/** Returns the used bytes of the heap after garbage collection. */
const usedHeapBytes = (): number => {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed;
};

test("250,000 clients use less than 48 MiB, and frequent ones are not evicted", () => {
  const { shared } = timedState();
  const permits = directQuotas({
    store: shared.permits,
    timeoutMs: 50,
    debts: new Debts({ clock: systemClock }),
    onError() {},
  });
  const remaining = (key: string) => (permits.take(limit, key) as { remaining: number }).remaining;
  const before = usedHeapBytes();
  for (let client = 0; client < 250_000; client++) {
    if (client % 90_000 === 0) void permits.take(limit, "often");
    void permits.take(limit, `client ${client}`);
  }
  const stateBytes = usedHeapBytes() - before;
  expect([remaining("often"), remaining("client 249999"), remaining("client 1")]).toEqual([0, 1, 2]);
  expect(stateBytes).toBeLessThan(48 * 2 ** 20);
  expect(stateBytes).toBeGreaterThan(2 ** 20); // the measured state is still referenced
});

test.each([
  ["allow", [200, 200], 200],
  ["deny", [503, 503], 503],
] as const)(
  "a failing store with onStoreError %s: requests get its status, and errors are counted",
  async (onStoreError, expected, status) => {
    const app = limitedApp({ store: broken, onStoreError });
    await using client = testClient(app);
    const replies = [await client.get("/"), await client.get("/")];
    expect(replies.map((reply) => reply.status)).toEqual(expected);
    expect(replies[0]?.headers.get("retry-after")).toBe(status === 503 ? "1" : null);
    expect(app.metrics()["rate_limit_store_errors_total"]).toBe(2);
  },
);

test("a denial without a decision of the store has the standard error body", async () => {
  await using client = testClient(limitedApp({ store: broken, onStoreError: "deny" }));
  expect((await client.get("/")).json()).toEqual({
    error: "Service Unavailable",
    detail: "The rate limit is temporarily unavailable",
    status: 503,
    retry_after: 1,
  });
});

test("a store that throws synchronously counts as failed", async () => {
  const store = storeWith(() => {
    throw new Error("gone");
  });
  const app = limitedApp({ store });
  await using client = testClient(app);
  expect((await client.get("/")).status).toBe(200);
  expect(app.metrics()["rate_limit_store_errors_total"]).toBe(1);
});

test("a stalled store times out after 50 ms by default, and its late result is ignored", async () => {
  const { clock } = cluster();
  const { promise, resolve } = Promise.withResolvers<never>();
  const errors: unknown[] = [];
  const permits = directQuotas({
    store: storeWith(() => promise),
    timeoutMs: RateLimitConfig.of().storeTimeoutMs,
    debts: new Debts({ clock }),
    onError: (error) => void errors.push(error),
    clock,
  });
  let quota: unknown = "waiting";
  const decided = Promise.resolve(permits.take(limit, "k")).then((given) => (quota = given));
  await clock.advance(49);
  expect([quota, errors.length]).toEqual(["waiting", 0]);
  await clock.advance(2);
  expect([quota, errors]).toEqual([null, [new Error("the store did not answer within 50 ms")]]);
  resolve(undefined as never);
  await decided;
  expect([errors.length, clock.pending]).toEqual([1, 0]);
});

test("a result in the event loop iteration after the timeout still counts", async () => {
  const { clock } = cluster();
  const { promise, resolve } = Promise.withResolvers<PermitResult>();
  const permits = directQuotas({
    store: storeWith(() => promise),
    timeoutMs: 50,
    debts: new Debts({ clock: systemClock }),
    onError() {},
    clock,
  });
  const decided = permits.take(limit, "k");
  await clock.advance(50);
  resolve({ spent: 1, leased: 0, free: 2, elsewhere: 0, waitMs: 0, resetMs: 5 });
  expect(await decided).toMatchObject({ allowed: true, remaining: 2 });
  expect(clock.pending).toBe(0);
});

test("the timeout of the store is configurable", async () => {
  const stalled = storeWith(() => new Promise(() => {}));
  const startedAt = performance.now();
  await using client = testClient(limitedApp({ store: stalled, storeTimeoutMs: 200 }));
  expect((await client.get("/")).status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThan(190);
});

test("a custom store decides each request, even with several workers", async () => {
  const calls: unknown[] = [];
  const { shared } = timedState();
  const store = storeWith(async (...call) => {
    calls.push(call);
    return shared.permits.take(...call);
  });
  const app = limitedApp({ store, maxRequests: 2, windowSecs: 3600 });
  await app.start({ ...quiet, workers: 4 });
  await using client = testClient(app);
  const statuses = [];
  for (let call = 0; call < 3; call++) statuses.push((await client.get("/")).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect(calls).toEqual(
    Array.from({ length: 3 }, () => [
      "rate-limit:default:a:none",
      { kind: "bucket", capacity: 2, windowMs: 3_600_000 },
      { spend: 1 },
    ]),
  );
});

test("apps of several workers share their limit and return their leases at stop", async () => {
  const { join, state } = cluster();
  const config = RateLimitConfig.slidingWindow(640, 3600);
  const apps = [];
  for (let worker = 0; worker < 2; worker++) {
    const app = limitedApp(config);
    await app.start({ ...quiet, workers: 2, shared: join().shared });
    apps.push(app);
  }
  const [first, second] = apps.map((app) => testClient(app));
  for (let call = 0; call < 2; call++) await first?.get("/");
  const rule = { kind: "window", capacity: 640, windowMs: 3_600_000 } as const;
  const readPermits = () => state.permits.take("rate-limit:default:a:none", rule, { spend: 0 });
  expect(await readPermits()).toMatchObject({ free: 638 - 78, elsewhere: 78 });
  await apps[0]?.stop();
  expect(await readPermits()).toMatchObject({ free: 638, elsewhere: 0 });
  expect((await second?.get("/"))?.headers.get("x-ratelimit-remaining")).toBe("637");
  await apps[1]?.stop();
});

test("a failing store is logged once, not per request", async () => {
  const logged: string[] = [];
  const app = limitedApp({ store: broken });
  await app.start({ log: { info() {}, error() {}, warn: (message) => void logged.push(message) } });
  await using client = testClient(app);
  for (let call = 0; call < 5; call++) await client.get("/");
  expect(logged).toEqual(["the store of the rate limit is unavailable; requests are limited per worker"]);
});

test("without its store each worker admits its share, and charges the requests when the store recovers", async () => {
  const { shared } = timedState();
  let isUnavailable = false;
  const store = storeWith(async (...call) => {
    if (isUnavailable) throw new Error("gone");
    return shared.permits.take(...call);
  });
  const app = limitedApp({ store, algorithm: "sliding_window", maxRequests: 20, windowSecs: 3600 });
  await app.start({ ...quiet, workers: 4 });
  await using client = testClient(app);
  const countAdmitted = async (calls: number): Promise<number> => {
    const seen = [];
    for (let call = 0; call < calls; call++) seen.push((await client.get("/")).status);
    return seen.filter((status) => status === 200).length;
  };
  expect(await countAdmitted(3)).toBe(3);
  isUnavailable = true;
  expect(await countAdmitted(30)).toBe(5);
  const refused = await client.get("/");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
  isUnavailable = false;
  expect(await countAdmitted(30)).toBe(20 - 3 - 5);
});

test("a late result of the store charges the request that was decided without it, once", async () => {
  const { clock } = cluster();
  const { shared } = timedState();
  const held: (() => void)[] = [];
  const debts = new Debts({ clock });
  const store = storeWith(async (...call) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return shared.permits.take(...call);
  });
  const quotas = directQuotas({ store, timeoutMs: 50, debts, onError() {}, clock });
  const decided = quotas.take(limit, "k");
  await clock.advance(51);
  expect(await decided).toBeNull();
  debts.add("k", limit.rule.windowMs);
  held.splice(0).forEach((answer) => answer());
  await clock.advance(0);
  expect(debts.size).toBe(0);
  const next = quotas.take(limit, "k");
  held.splice(0).forEach((answer) => answer());
  expect(await next).toMatchObject({ allowed: true, remaining: 1 });
});
