// More than 250 lines, because all server faults share one server and one load generator.
import { setTimeout as pause } from "node:timers/promises";
import { App } from "@framework/core";
import { rateLimit } from "@framework/rate-limit";
import {
  type FragileServer,
  findProgram,
  startRedis,
  startRedisCluster,
  startProxy,
} from "@framework/services";
import { testClient, waitFor } from "@framework/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import {
  type OpenRedis,
  openRedis,
  redis,
  redisPermits,
  redisValues,
  RedisUnavailableError,
} from "./index.ts";

let server: FragileServer;
const opened: OpenRedis[] = [];
const log = { warn: () => {} }; // lost connections are expected

beforeAll(async () => {
  if (findProgram("redis-server") === null) throw new Error("redis-server is not installed");
  server = await startRedis({ durable: true });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
afterAll(async () => {
  await server.stop();
});

const open = (config: Parameters<typeof openRedis>[0] = {}): OpenRedis => {
  const one = openRedis({ url: server.url, ...config }, { log });
  opened.push(one);
  return one;
};

/** Runs calls until `stop`, and records their outcomes. */
const load = (call: (id: number) => Promise<void>, workers = 8) => {
  const seen = { done: 0, failed: 0, errors: new Set<unknown>(), stopped: false };
  let next = 0;
  const work = async (): Promise<void> => {
    while (!seen.stopped) {
      const id = ++next;
      await call(id).then(
        () => seen.done++,
        (error: unknown) => {
          seen.failed++;
          seen.errors.add(error instanceof RedisUnavailableError ? RedisUnavailableError : String(error));
        },
      );
      await pause(1); // without a server every call fails at once
    }
  };
  const all = Promise.all(Array.from({ length: workers }, work));
  const stop = async (): Promise<typeof seen> => {
    seen.stopped = true;
    await all;
    return seen;
  };
  return { seen, stop };
};

/** Writes a unique value and reads it back; records replies to other commands in `mismatched`. */
const writeAndRead = (one: OpenRedis, mismatched: unknown[]) => async (id: number) => {
  const key = `tag:${id}`;
  let value: unknown;
  if (id % 3 === 0) {
    const results = await one.redis.pipeline().set(key, `value ${id}`).get(key).exec();
    const failure = results?.find(([error]) => error !== null)?.[0];
    if (failure !== undefined) throw failure;
    value = results?.[1]?.[1];
  } else {
    await one.redis.set(key, `value ${id}`);
    value = await one.redis.get(key);
  }
  if (value !== `value ${id}`) mismatched.push([id, value]);
};

/** Waits until commands succeed again. */
const waitForRecovery = (one: OpenRedis): Promise<string> =>
  waitFor(() => one.redis.ping(), { subject: "a reply of the server", intervalMs: 5 });

test("after a killed server restarts, every reply belongs to its command, and the same client reconnects", async () => {
  const one = open();
  const mismatched: unknown[] = [];
  const { seen, stop } = load(writeAndRead(one, mismatched));
  for (let round = 0; round < 3; round++) {
    const { done, failed } = seen;
    await waitFor(() => seen.done > done + 50);
    await server.kill();
    await waitFor(() => seen.failed > failed + 20);
    await server.start();
    await waitForRecovery(one);
  }
  const { errors } = await stop();
  expect(mismatched).toEqual([]);
  expect([...errors]).toEqual([RedisUnavailableError]);
  expect(one.metrics.reconnects).toBeGreaterThanOrEqual(3);
});

test("while a server is frozen, commands time out; afterwards every reply belongs to its command", async () => {
  const one = open({ commandTimeoutMs: 300 });
  const mismatched: unknown[] = [];
  const { seen, stop } = load(writeAndRead(one, mismatched));
  for (let round = 0; round < 2; round++) {
    const { done, failed } = seen;
    await waitFor(() => seen.done > done + 50);
    server.pause();
    await waitFor(() => seen.failed > failed + 20);
    server.resume();
    await waitForRecovery(one);
  }
  const { errors } = await stop();
  expect([mismatched, [...errors]]).toEqual([[], [RedisUnavailableError]]);
});

test("across kills and restarts, a counter is at least the acknowledged increments, and at most the acknowledged plus the failed ones", async () => {
  const one = open();
  await one.redis.del("counter");
  const { seen, stop } = load(async () => void (await one.redis.incr("counter")));
  for (let round = 0; round < 3; round++) {
    const { done } = seen;
    await waitFor(() => seen.done > done + 50);
    await server.kill();
    await server.start();
    await waitForRecovery(one);
  }
  const { done, failed } = await stop();
  const counted = Number(await one.redis.get("counter"));
  expect(counted).toBeGreaterThanOrEqual(done);
  expect(counted).toBeLessThanOrEqual(done + failed);
});

test("a command whose connection is cut before the reply fails, and runs exactly once", async () => {
  await using proxy = await startProxy(server.url);
  const one = open({ url: proxy.url });
  const direct = open();
  const values = redisValues(one, { name: "cut", connectionTimeoutMs: 60_000 });
  await Promise.all([direct.redis.del("cut"), direct.redis.del("cut:v:cut")]);
  await one.redis.incr("cut");
  for (let round = 1; round <= 5; round++) {
    proxy.mode = "cut";
    await expect(one.redis.incr("cut")).rejects.toThrow(RedisUnavailableError);
    await waitForRecovery(one);
    expect(await direct.redis.get("cut")).toBe(String(1 + round));
  }
  await values.add("cut", 1, { ttlMs: 60_000 });
  proxy.mode = "cut";
  await expect(values.add("cut", 1, { ttlMs: 60_000 })).rejects.toThrow(
    expect.objectContaining({ code: "CORE_SHARED_STATE_UNAVAILABLE" }),
  );
  await waitForRecovery(one);
  expect(await values.get("cut")).toBe(2);
});

test("a bounded number of commands waits for a connection, and a command that timed out is never sent later", async () => {
  await using proxy = await startProxy(server.url);
  const one = open({ url: proxy.url, commandTimeoutMs: 300 });
  const direct = open();
  proxy.mode = "silent";
  let rejectedAtOnce = 0;
  const pipeline = one.redis.pipeline();
  for (let index = 0; index < 100; index++) pipeline.set(`late:batch:${index}`, 1);
  const batches = [pipeline.exec()];
  const calls = Array.from({ length: 1400 }, (_, index) =>
    one.redis.set(`late:${index}`, 1).catch((error: unknown) => {
      if (error instanceof RedisUnavailableError && error.reason.startsWith("too many")) rejectedAtOnce++;
      return error;
    }),
  );
  const largeTransaction = one.redis.multi();
  for (let index = 0; index < 100; index++) largeTransaction.set(`late:batch:${index}`, 1);
  batches.push(largeTransaction.exec().catch(() => null)); // a transaction fails as a whole
  const outcomes = await Promise.all(calls);
  const [piped, transaction] = await Promise.all(batches);
  expect(piped?.filter(([error]) => error instanceof RedisUnavailableError)).toHaveLength(100);
  expect(transaction).toBeNull();
  expect(outcomes.every((outcome) => outcome instanceof RedisUnavailableError)).toBe(true);
  expect(rejectedAtOnce).toBe(500);
  expect(one.metrics.waiting).toBe(0);
  proxy.mode = "pass";
  proxy.drop();
  await waitForRecovery(one);
  expect(await direct.redis.exists("late:0", "late:1", "late:899", "late:1399", "late:batch:0")).toBe(0);
  const values = Array.from({ length: 50 }, (_, index) => one.redis.echo(`${index}`));
  expect(await Promise.all(values)).toEqual(Array.from({ length: 50 }, (_, index) => `${index}`));
});

test("a command that timed out before the reconnect is not sent after it", async () => {
  await using proxy = await startProxy(server.url);
  const one = open({ url: proxy.url, commandTimeoutMs: 300 });
  await one.redis.del("late");
  proxy.mode = "slow"; // a connection needs two round trips until it is ready
  proxy.drop();
  await waitFor(() => one.redis.status !== "ready", { intervalMs: 1 });
  const pipeline = one.redis.pipeline().set("late", 2).get("late").exec();
  await expect(one.redis.set("late", 1)).rejects.toThrow(RedisUnavailableError);
  expect((await pipeline)?.filter(([error]) => error instanceof RedisUnavailableError)).toHaveLength(2);
  await waitFor(() => one.redis.status === "ready");
  proxy.mode = "pass";
  await waitForRecovery(one);
  expect(await one.redis.exists("late")).toBe(0);
});

test("a pipeline waits or is rejected as a whole, and does not affect the replies to other commands", async () => {
  await using proxy = await startProxy(server.url);
  const one = open({ url: proxy.url, maxQueue: 10, commandTimeoutMs: 60_000 });
  const echoes = (count: number): string[] => Array.from({ length: count }, (_, index) => `echo ${index}`);
  const echoed = (texts: readonly string[]) => {
    const pipeline = one.redis.pipeline();
    for (const text of texts) pipeline.echo(text);
    return pipeline.exec();
  };
  await one.redis.ping();
  for (const [singles, fits] of [
    [8, true],
    [10, false],
  ] as const) {
    proxy.mode = "slow";
    proxy.drop();
    await waitFor(() => one.redis.status !== "ready", { intervalMs: 1 });
    const singleReplies = Promise.all(echoes(singles).map((text) => one.redis.echo(text)));
    const together = await echoed(echoes(5));
    const outcomes = together?.map(([error, text]) =>
      error instanceof RedisUnavailableError ? "rejected" : text,
    );
    expect(outcomes).toEqual(fits ? echoes(5) : echoes(5).map(() => "rejected"));
    expect(await singleReplies).toEqual(echoes(singles));
    proxy.mode = "pass";
    expect(await Promise.all(echoes(10).map((text) => one.redis.echo(text)))).toEqual(echoes(10));
  }
});

test("the client reconnects when its server becomes a replica, and nothing is written twice", async () => {
  const one = open();
  const direct = open();
  await one.redis.del("written");
  await direct.redis.replicaof("127.0.0.1", 1);
  await expect(one.redis.incr("written")).rejects.toThrow(RedisUnavailableError);
  await direct.redis.replicaof("NO", "ONE");
  await waitForRecovery(one);
  expect(await one.redis.incr("written")).toBe(1);
});

test("a subscriber receives messages after a restart of the server, and messages sent during its own short disconnection", async () => {
  await using proxy = await startProxy(server.url);
  const connectionTimeoutMs = 60_000;
  const near = redisValues(open(), { connectionTimeoutMs });
  const far = redisValues(open({ url: proxy.url }), { connectionTimeoutMs });
  const seen: unknown[] = [];
  far.subscribe("news", (message) => void seen.push(message));
  await far.get("ready");
  proxy.drop();
  await near.publish("news", "while away");
  expect(seen).toEqual(["while away"]);
  await server.kill();
  await expect(near.publish("news", "unheard")).rejects.toMatchObject({
    code: "CORE_SHARED_STATE_UNAVAILABLE",
  });
  await server.start();
  await waitFor(async () => {
    await near.publish("news", "back");
    return seen.includes("back");
  });
  await Promise.all([near.close(), far.close()]);
});

for (const [onStoreError, denied, share, meaning] of [
  ["allow", 429, 3, "admits at most the worker's share"],
  ["deny", 503, 0, "replies with 503"],
] as const) {
  test(`a rate limit without its store ${meaning} with onStoreError "${onStoreError}", and limits again after the store recovers`, async () => {
    const app = new (App.with(redis, rateLimit))().enableRedis({ url: server.url });
    const store = redisPermits(app, { name: `policy-${onStoreError}` });
    app.enableRateLimit({
      algorithm: "sliding_window",
      maxRequests: 3,
      windowSecs: 3600,
      store,
      onStoreError,
    });
    app.get("/", () => "hello");
    await using client = testClient(app);
    const send = async () => (await client.get("/")).status;
    await waitFor(async () => (await send()) === 429);
    const seen: number[] = [];
    for (const [fail, heal] of [
      [() => server.kill(), () => server.start()],
      [() => server.pause(), () => server.resume()],
    ] as const) {
      await fail();
      for (let call = 0; call < 12; call++) seen.push(await send());
      await heal();
      await waitFor(async () => (await send()) === 429, { intervalMs: 5 });
    }
    const admitted = seen.filter((status) => status === 200);
    expect(admitted.length).toBeLessThanOrEqual(share);
    expect(new Set(seen.slice(share))).toEqual(new Set([denied]));
  });
}

test("when a cluster loses a master, commands fail, and succeed after the failover to its replica", async () => {
  await using cluster = await startRedisCluster({ nodeTimeoutMs: 1000 });
  for (const { url } of cluster.nodes.slice(3)) {
    const replica = open({ url });
    // A replica without its master's data is not promoted.
    await waitFor(async () => (await replica.redis.info("replication")).includes("master_link_status:up"), {
      subject: "a synchronized replica",
    });
  }
  const one = openRedis({ url: cluster.url, clusterMode: true }, { log });
  const mismatched: unknown[] = [];
  const { seen, stop } = load(writeAndRead(one, mismatched));
  await waitFor(() => seen.done > 200);
  await cluster.nodes[0]?.kill();
  await waitFor(() => seen.failed > 5);
  await waitFor(
    async () => {
      for (let key = 0; key < 60; key++) await one.redis.set(`after:${key}`, key);
      return true;
    },
    { subject: "the failover", intervalMs: 50 },
  );
  const { errors } = await stop();
  expect([mismatched, [...errors]]).toEqual([[], [RedisUnavailableError]]);
  await one.close();
});
