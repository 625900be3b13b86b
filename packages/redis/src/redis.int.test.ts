import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { App } from "@framework/core";
import type { Feature, HealthCheck, HostInsight, Metric } from "@framework/core/feature";
import { withServer } from "@framework/services";
import { eachClient, testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { IoredisClient } from "./client/ioredis.ts";
import { openRedis, redis, RedisClient, RedisUnavailableError } from "./index.ts";

/** A busy machine may take seconds. */
const timeouts = { connectionTimeoutSecs: 60, commandTimeoutMs: 30_000 };

interface Insight {
  checks: readonly HealthCheck[];
  metrics: readonly Metric[];
}

interface Watcher {
  readonly insight: Insight;
  /** A counter in `host.state.shared`. */
  countShared(): Promise<number>;
  readonly listen: HostInsight["onOperation"];
}

const watcher: Feature<Watcher> = {
  name: "watcher",
  install: (host) => {
    const insight: Insight = { checks: [], metrics: [] };
    host.life.onStart(
      () =>
        void Object.assign(insight, { checks: host.insight.healthChecks(), metrics: host.insight.metrics() }),
    );
    return {
      insight,
      listen: (listener) => host.insight.onOperation(listener),
      countShared: async () => (await host.state.shared.values.add("watched", 1, { ttlMs: 10_000 })).value,
    };
  },
};

const App_ = App.with(redis, watcher);

for (const service of ["redis", "redis-cluster"]) {
  withServer(service, (url) => {
    const clusterMode = service === "redis-cluster";
    const make = (config: Parameters<typeof openRedis>[0] = {}) => {
      const keyPrefix = `app-${randomUUID()}:`;
      const app = new App_().enableRedis({ url, clusterMode, keyPrefix, ...timeouts, ...config });
      app.onEvent("startup", async () => void (await app.redis.set("started", "yes")));
      app.get("/started", ({ app: { redis } }) => redis.get("started"));
      app.get("/visits", { inject: { client: RedisClient } }, async (_request, { client }) => ({
        visits: await client.incr("visits"),
      }));
      app.get("/wrong", ({ app: { redis } }) => redis.hget("started", "field"));
      return app;
    };

    eachClient(test, make, {
      "the client is available in startup, in handlers and as a dependency": async (client) => {
        expect((await client.get("/started")).text).toBe("yes");
        await client.get("/visits");
        expect((await client.get("/visits")).json()).toEqual({ visits: 2 });
      },
      "a request whose command Redis refuses gets 500": async (client) => {
        expect((await client.get("/wrong")).status).toBe(500);
      },
    });

    test("the health check calls the server, and metrics count commands, failures and connections", async () => {
      const app = make();
      await using client = testClient(app);
      await client.get("/visits");
      await client.get("/wrong");
      const [check] = app.insight.checks;
      expect(await check?.run(AbortSignal.timeout(60_000))).toMatchObject({
        mode: clusterMode ? "cluster" : "single",
      });
      const metric = (name: string) => app.insight.metrics.find((each) => each.name === name)?.read();
      expect(metric("redis_commands_total")).toBeGreaterThanOrEqual(4);
      expect(metric("redis_failures_total")).toBe(1);
      expect(metric("redis_connections")).toBeGreaterThanOrEqual(1);
      expect(metric("redis_waiting_commands")).toBe(0);
      expect(app.snapshot()["redis"]).toMatchObject({ failures: 1, leased: 0 });
    });

    test("each command, single or in a pipeline, is an operation that ends with its reply", async () => {
      const app = make();
      await using client = testClient(app);
      await client.get("/started");
      const seen: string[] = [];
      const stop = app.listen({
        kinds: ["db"],
        start: ({ name }) => seen.push(`start ${name}`),
        end: ({ name, error }) => seen.push(`end ${name}${error === null ? "" : ` ${error.name}`}`),
      });
      await app.redis.set("started", "yes");
      await app.redis.pipeline().get("started").hget("started", "field").exec();
      stop();
      expect(seen.slice(0, 2)).toEqual(["start SET", "end SET"]);
      expect(seen.slice(2).sort()).toEqual(["end GET", "end HGET ReplyError", "start GET", "start HGET"]);
    });

    test("all connections are closed when the app has stopped", async () => {
      const app = make({ shared: true });
      const client = testClient(app);
      await client.get("/visits");
      const stopped = app.redis;
      await app.countShared();
      await client[Symbol.asyncDispose]();
      await waitFor(() => stopped.status === "end");
      expect(() => app.redis.ping()).not.toThrow();
      await expect(app.redis.ping()).rejects.toThrow(RedisUnavailableError);
    });

    test("with shared: true two apps have the same host.state.shared; without it each has its own", async () => {
      const keyPrefix = `agreed-${randomUUID()}:`;
      for (const [shared, second] of [
        [true, 2],
        [false, 1],
      ] as const) {
        const [one, other] = [make({ keyPrefix, shared }), make({ keyPrefix, shared })];
        await using _one = testClient(one);
        await using _other = testClient(other);
        await Promise.all([_one.get("/started"), _other.get("/started")]);
        expect([await one.countShared(), await other.countShared()]).toEqual([1, second]);
      }
    });

    test("SET gets the default expiry unless it has its own", async () => {
      const open = openRedis({ url, clusterMode, defaultTtlSecs: 50, keyPrefix: `ttl-${randomUUID()}:` });
      const { redis: client } = open;
      await client.set("plain", "EX");
      await client.call("SET", "named", 1);
      await client.set("own", 1, "PX", 5000);
      await client.set("lasting", 1, "KEEPTTL");
      expect(await client.ttl("plain")).toBeGreaterThan(40);
      expect(await client.ttl("named")).toBeGreaterThan(40);
      expect(await client.ttl("own")).toBeLessThanOrEqual(5);
      expect(await client.ttl("lasting")).toBe(-1);
      await open.close();
    });

    test("a blocking command on a leased connection does not delay others, and the connection is reused", async () => {
      const open = openRedis({ url, clusterMode, poolSize: 2, keyPrefix: `leased-${randomUUID()}:` });
      const popped = open.withRedis((own) => own.blpop("list", 5), { timeoutMs: 6000 });
      await delay(20);
      expect(await open.redis.incr("n")).toBe(1);
      await open.redis.rpush("list", "item");
      expect((await popped)?.[1]).toBe("item");
      const used: unknown[] = [];
      for (let round = 0; round < 2; round++) {
        await open.withRedis(async (own) => {
          used.push(own);
          await own.set("x", 1);
        });
      }
      expect(used[1]).toBe(used[0]);
      await open.close();
    });

    test("WATCH on a leased connection detects other writes, and does not affect the next lease", async () => {
      const keyPrefix = `watch-${randomUUID()}:`;
      const open = openRedis({ url, clusterMode, poolSize: 2, ...timeouts, keyPrefix });
      const outcome = await open.withRedis(async (own) => {
        await own.watch("seat");
        await open.redis.set("seat", "taken");
        return own.multi().set("seat", "mine").exec();
      });
      expect(outcome).toBeNull();
      await open.withRedis(async (own) => void (await own.watch("seat")));
      await open.redis.set("seat", "other");
      expect(await open.withRedis((own) => own.multi().set("seat", "mine").exec())).toEqual([[null, "OK"]]);
      await open.close();
    });

    test("an idle leased connection is closed after idleTimeoutSecs", async () => {
      const open = openRedis({ url, clusterMode, idleTimeoutSecs: 0.1 });
      const warm = openRedis({ url, clusterMode, idleTimeoutSecs: 0.1, minIdle: 2 });
      await Promise.all([open, warm].map((each) => each.withRedis((own) => own.incr("idle"))));
      await waitFor(() => open.metrics.connections === 0);
      expect(warm.metrics.connections).toBeGreaterThan(0);
      await Promise.all([open.close(), warm.close()]);
    });

    test("a caller that waits too long for a connection gets an error with status 503", async () => {
      const open = openRedis({ url, clusterMode, poolSize: 2, connectionTimeoutSecs: 0.1 });
      const hold = Promise.withResolvers<void>();
      const held = open.withRedis(async () => hold.promise);
      await expect(open.withRedis((own) => own.ping())).rejects.toMatchObject({
        status: 503,
        code: "REDIS_UNAVAILABLE",
      });
      const next = open.withRedis((own) => own.ping());
      hold.resolve();
      await held;
      expect(await next).toBe("PONG");
      await open.close();
      await expect(open.withRedis((own) => own.ping())).rejects.toMatchObject({ code: "REDIS_CLOSED" });
    });
  });
}

withServer("redis", (url) => {
  test.each<readonly [change: string, make: (own: IoredisClient) => Promise<unknown>]>([
    ["an unfinished transaction", (own) => own.multi({ pipeline: false })],
    ["SELECT in capital letters", (own) => own.call("SELECT", 2)],
    ["AUTH", (own) => own.call("AUTH", "default", "any")],
    ["HELLO", (own) => own.call("hello", 2)],
  ])("a leased connection is not leased again after %s", async (_change, make) => {
    const open = openRedis({ url, poolSize: 2, ...timeouts, keyPrefix: `left-${randomUUID()}:` });
    await open.redis.set("key", "value");
    const used: unknown[] = [];
    await open.withRedis(async (own) => {
      used.push(own);
      await make(own);
    });
    await open.withRedis(async (own) => {
      used.push(own);
      expect(await own.get("key")).toBe("value");
    });
    expect(used[1] === used[0]).toBe(false);
    await open.close();
  });

  test.each<readonly [command: string, run: (shared: IoredisClient) => Promise<unknown>]>([
    ["SELECT", (shared) => shared.call("select", 1)],
    ["AUTH", (shared) => shared.call("AUTH", "default", "any")],
    ["SUBSCRIBE", (shared) => shared.subscribe("news")],
    ["WATCH", (shared) => shared.watch("key")],
    ["MULTI", (shared) => shared.multi({ pipeline: false })],
    ["CLIENT", (shared) => shared.client("REPLY", "OFF")],
    ["QUIT", (shared) => shared.quit()],
  ])("%s on the shared connection is refused, and others are not affected", async (command, run) => {
    const open = openRedis({ url, ...timeouts, keyPrefix: `shared-${randomUUID()}:` });
    await open.redis.set("key", "value");
    await expect(run(open.redis)).rejects.toMatchObject({
      code: "REDIS_SHARED_CONNECTION",
      message: expect.stringContaining(`${command} would change the connection that all requests share`),
    });
    expect(await open.redis.get("key")).toBe("value");
    expect(await open.redis.client("ID")).toEqual(expect.any(Number));
    await open.close();
  });

  test("a command that is refused on the shared connection fails alone in a pipeline, but fails its whole transaction", async () => {
    const open = openRedis({ url, ...timeouts, keyPrefix: `shared-${randomUUID()}:` });
    const refused = expect.objectContaining({ code: "REDIS_SHARED_CONNECTION" });
    const replies = await open.redis
      .pipeline([
        ["set", "key", "value"],
        ["select", 1],
        ["get", "key"],
      ])
      .exec();
    expect(replies).toEqual([
      [null, "OK"],
      [refused, undefined],
      [null, "value"],
    ]);
    const transaction = open.redis.multi([
      ["set", "key", "other"],
      ["select", 1],
    ]);
    await expect(transaction.exec()).rejects.toMatchObject({
      message: expect.stringContaining("EXECABORT"),
      previousErrors: [refused],
    });
    expect(await open.redis.get("key")).toBe("value");
    await open.close();
  });

  test("a leased connection with an unknown state is not leased again", async () => {
    const open = openRedis({ url, poolSize: 2 });
    const ids: unknown[] = [];
    const id = () => open.withRedis(async (own) => void ids.push(await own.client("ID")));
    const failing = open.withRedis(async (own) => {
      await own.ping();
      throw new Error("mine");
    });
    await expect(failing).rejects.toThrow("mine");
    await expect(open.withRedis((own) => own.blpop("never", 5), { timeoutMs: 50 })).rejects.toThrow(
      RedisUnavailableError,
    );
    await id();
    await id();
    expect(new Set(ids).size).toBe(2); // CLIENT may have changed the connection
    expect(await open.redis.ping()).toBe("PONG");
    await open.close();
  });
});
