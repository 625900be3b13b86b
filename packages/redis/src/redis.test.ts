import { createServer } from "node:net";
import { once } from "node:events";
import { App } from "@framework/core";
import type { Feature, HealthCheck, SharedState } from "@framework/core/feature";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { addressesOf } from "./client/addresses.ts";
import { backoffMs } from "./client/backoff.ts";
import {
  openRedis,
  redis,
  redisCacheStore,
  RedisConfig,
  redisPermits,
  RedisUnavailableError,
} from "./index.ts";

interface Insight {
  readonly checks: readonly HealthCheck[];
  readonly shared: SharedState;
  readonly own: SharedState | undefined;
}

let insight: Insight | undefined;
const watcher: Feature = {
  name: "watcher",
  install: (host) => {
    host.life.onStart(({ own }) => {
      insight = { checks: host.insight.healthChecks(), shared: host.state.shared, own };
    });
    return {};
  },
};

const App_ = App.with(redis, watcher);

/** A port without a listener. */
const unusedAddress = async (): Promise<string> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return `redis://127.0.0.1:${port}`;
};

test("before enableRedis, using the client throws an error that names enableRedis", async () => {
  expect(() => new App_().redis).toThrow("call enableRedis before");
  expect(() => new App_().withRedis(async () => 1)).toThrow("call enableRedis before");
});

test("an app that never uses Redis starts and stops without a server", async () => {
  const app = new App_().enableRedis({ url: await unusedAddress() });
  app.get("/", () => "hello");
  await using client = testClient(app);
  expect((await client.get("/")).text).toBe("hello");
});

test("without a server, a request whose handler sends a command gets 503 with Retry-After at once", async () => {
  const app = new App_().enableRedis({
    url: await unusedAddress(),
    connectionTimeoutSecs: 120,
    commandTimeoutMs: 120_000,
  });
  app.get("/", ({ app: { redis: client } }) => client.get("key"));
  await using client = testClient(app);
  const begin = performance.now();
  const reply = await client.get("/");
  expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(reply.json()).toMatchObject({ detail: "Redis is not available", status: 503 });
  expect(performance.now() - begin).toBeLessThan(60_000); // half of either timeout
  await expect(async () => insight?.checks[0]?.run(AbortSignal.timeout(60_000))).rejects.toThrow(
    RedisUnavailableError,
  );
});

test("a command without a server is a failed operation within the request's operation", async () => {
  const seen: unknown[] = [];
  const recorder: Feature = {
    name: "recorder",
    install: (host) => {
      host.insight.onOperation({
        kinds: ["db"],
        start: () => {},
        end: ({ name, parent, attributes }) => seen.push([name, parent?.name, attributes]),
      });
      host.insight.onOperation({ kinds: ["http"], start: () => {} });
      return {};
    },
  };
  const app = new (App.with(redis, recorder))().enableRedis({ url: await unusedAddress() });
  app.get("/", ({ app: { redis: client } }) => client.get("secret"));
  await using client = testClient(app);
  await client.get("/");
  const attributes = {
    "db.system.name": "redis",
    "db.operation.name": "GET",
    "error.type": "REDIS_UNAVAILABLE",
  };
  expect(seen).toEqual([["GET", "GET /", attributes]]);
});

test("with shared: true features get the state in Redis, and totals stay in the primary process", async () => {
  const app = new App_().enableRedis({ url: await unusedAddress(), shared: true });
  await using client = testClient(app);
  await client.get("/");
  const { shared, own } = insight ?? {};
  await expect(async () => shared?.values.get("key")).rejects.toMatchObject({
    code: "CORE_SHARED_STATE_UNAVAILABLE",
  });
  await shared?.totals.add("metrics", [["n", [1]]]);
  expect(await own?.totals.read("metrics")).toEqual([["n", [1]]]);
});

test("the reply is 503 with Retry-After if a handler does not catch the error of an unreachable shared state", async () => {
  const app = new App_().enableRedis({ url: await unusedAddress(), shared: true });
  app.get("/visits", async () => (await app.shared.get("visits")) ?? null);
  await using client = testClient(app);
  const reply = await client.get("/visits");
  expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(reply.json()).toMatchObject({ detail: "The shared state is not available" });
});

test("start reports every mistake in the record", async () => {
  const start = (config: object) => new App_().enableRedis(config).fetch(new Request("http://localhost/"));
  for (const mistake of ["RedisConfig.url", "RedisConfig.poolSize", '"poolsize"'])
    await expect(start({ url: "http://x", poolSize: 0, poolsize: 1 })).rejects.toThrow(mistake);
  await expect(start({ keyPrefix: "{a}" })).rejects.toThrow("without braces");
  await expect(start({ clusterMode: true, database: 1 })).rejects.toThrow("must be 0 in cluster mode");
  await expect(start({ url: "redis://a,redis://b" })).rejects.toThrow("set clusterMode: true");
  await expect(start({ minIdle: 11 })).rejects.toThrow("minIdle must not be above poolSize");
  const contradictions = { url: "redis://a,redis://b", minIdle: 11 };
  for (const mistake of ["set clusterMode: true", "minIdle must not be above poolSize"])
    expect(() => openRedis(contradictions)).toThrow(mistake);
});

test.each([true, false])(
  "a feature that starts after redis stops before its connections close (shared: %p)",
  async (shared) => {
    const statuses: string[] = [];
    const later: Feature = {
      name: "later",
      install: (host) => {
        host.life.onStop(() => void statuses.push(app.redis.status));
        return {};
      },
    };
    const app = new (App.with(redis, later))().enableRedis({ url: await unusedAddress(), shared });
    await app.start();
    const client = app.redis;
    await app.stop();
    expect([...statuses, client.status]).toEqual(["wait", "end"]);
  },
);

test("two features that provide the same port of the shared state are a start error", async () => {
  const other: Feature<{ enableOther(): unknown }> = {
    name: "other",
    install: (host) => ({
      enableOther() {
        host.state.provideShared({ permits: (own) => own, totals: (own) => own });
        return this;
      },
    }),
  };
  const app = new (App.with(redis, other))().enableRedis({ shared: true });
  app.enableOther();
  await expect(app.fetch(new Request("http://localhost/"))).rejects.toThrow(
    "two features provide shared permits",
  );
});

test("local() and cluster(url) return the two common configurations", () => {
  expect(RedisConfig.of(RedisConfig.local())).toMatchObject({ url: "redis://localhost:6379", poolSize: 5 });
  expect(RedisConfig.of(RedisConfig.cluster("redis://a:7000,redis://b:7000"))).toMatchObject({
    clusterMode: true,
    poolSize: 20,
  });
});

test("URLs are parsed with user, password, database and TLS", () => {
  const read = (config: object) => addressesOf(RedisConfig.of(config));
  expect(read({ url: "rediss://me:p%40ss@[::1]:7000/3" })).toEqual([
    { host: "::1", port: 7000, username: "me", password: "p@ss", database: 3, tls: true },
  ]);
  expect(read({ url: "redis://a, redis://b:1", clusterMode: true, password: "p", tls: true })).toEqual([
    { host: "a", port: 6379, username: undefined, password: "p", database: 0, tls: true },
    { host: "b", port: 1, username: undefined, password: "p", database: 0, tls: true },
  ]);
});

test("the path of a URL is the database, including 0", () => {
  const read = (url: string) => addressesOf(RedisConfig.of({ url, database: 5 }))[0]?.database;
  expect(["redis://h/0", "redis://h/7", "redis://h/", "redis://h"].map(read)).toEqual([0, 7, 5, 5]);
});

test.each([
  "redis://h/cache",
  "redis://h/1/2",
  "redis://h/-1",
  "redis://:100%@h",
  "redis://%zz:p@h",
  "redis://h?db=3",
  "redis://h/1#x",
])(
  "a URL whose database is not a number, whose credentials are not percent-encoded, or with a query is refused: %s",
  (url) => {
    expect(() => openRedis({ url })).toThrow("RedisConfig.url must be redis://host:port/database");
  },
);

test("a cluster has no database in its URL", () => {
  expect(() => openRedis({ url: "redis://a,redis://b/1", clusterMode: true })).toThrow(
    "must be 0 in cluster mode",
  );
});

test("delays between attempts grow from 50 ms to 2 s", () => {
  const pauses = [1, 2, 3, 6, 7, 100].map((attempt) => backoffMs(attempt, () => 1));
  expect(pauses).toEqual([50, 100, 200, 1600, 2000, 2000]);
  expect(backoffMs(7, () => 0)).toBe(1600);
});

test("names of adapters must not contain braces, which would split the keys of a script across nodes", () => {
  const source = openRedis();
  for (const name of ["", "a{b", "a b", "x".repeat(101)]) {
    expect(() => redisPermits(source, { name })).toThrow("without braces");
    expect(() => redisCacheStore(source, { name })).toThrow("without braces");
  }
});

test("the parts of a cache store must be a whole number from 1 to 16384", () => {
  const app = new (App.with(redis))().enableRedis();
  for (const parts of [0, 2.5, 16_385])
    expect(() => redisCacheStore(app, { parts })).toThrow("parts must be a whole number from 1 to 16384");
});
