// Every way in which a server can fail, each against the same promises.
import { App } from "@framework/core";
import { rateLimit } from "@framework/rate-limit";
import { type FragileServer, findProgram, startRedis, startRedisCluster } from "@framework/services";
import { testClient, waitFor } from "@framework/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { startProxy } from "./cutting-proxy.test-kit.ts";
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
const log = { warn: () => {} }; // lost connections are what these tests are about

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

/** Calls that go on until told to stop: what each got, and how long the slowest took. */
const load = (call: (id: number) => Promise<void>, workers = 8) => {
  const seen = { done: 0, failed: 0, slowestMs: 0, errors: new Set<unknown>(), stopped: false };
  let next = 0;
  const work = async (): Promise<void> => {
    while (!seen.stopped) {
      const id = ++next;
      const begin = performance.now();
      await call(id).then(
        () => seen.done++,
        (error: unknown) => {
          seen.failed++;
          seen.errors.add((error as Error).constructor);
        },
      );
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - begin);
      await new Promise(setImmediate);
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

/** Writes a value of its own and reads it back: a foreign reply is an error that no fault explains. */
const tagged = (one: OpenRedis, foreign: unknown[]) => async (id: number) => {
  const key = `tag:${id}`;
  let value: unknown;
  if (id % 3 === 0) {
    const answers = await one.redis.pipeline().set(key, `value ${id}`).get(key).exec();
    const failure = answers?.find(([error]) => error !== null)?.[0];
    if (failure !== undefined) throw failure;
    value = answers?.[1]?.[1];
  } else {
    await one.redis.set(key, `value ${id}`);
    value = await one.redis.get(key);
  }
  if (value !== `value ${id}`) foreign.push([id, value]);
};

/** Milliseconds until calls succeed again. */
const recovery = async (one: OpenRedis): Promise<number> => {
  const begin = performance.now();
  await waitFor(() => one.redis.ping(), { timeoutMs: 10_000, intervalMs: 5 });
  return performance.now() - begin;
};

const bounded = 1000 + 400; // the command's time, and what a busy machine adds

test("a killed server: calls fail in time, no reply goes astray, and it is used again within a second", async () => {
  const one = open();
  const foreign: unknown[] = [];
  const { seen, stop } = load(tagged(one, foreign));
  for (let round = 0; round < 3; round++) {
    const { done, failed } = seen;
    await waitFor(() => seen.done > done + 50);
    await server.kill();
    await waitFor(() => seen.failed > failed + 20);
    await server.start();
    expect(await recovery(one)).toBeLessThan(1000);
  }
  const { slowestMs, errors } = await stop();
  expect(slowestMs).toBeLessThan(bounded);
  expect(foreign).toEqual([]);
  expect([...errors]).toEqual([RedisUnavailableError]);
  expect(one.metrics.reconnects).toBeGreaterThanOrEqual(3);
});

test("a server that freezes: calls fail in time, and after it thaws no reply goes astray", async () => {
  const one = open({ commandTimeoutMs: 300 });
  const foreign: unknown[] = [];
  const { seen, stop } = load(tagged(one, foreign));
  for (let round = 0; round < 2; round++) {
    const { done, failed } = seen;
    await waitFor(() => seen.done > done + 50);
    server.pause();
    await waitFor(() => seen.failed > failed + 20);
    server.resume();
    expect(await recovery(one)).toBeLessThan(1000);
  }
  const { slowestMs, errors } = await stop();
  expect(slowestMs).toBeLessThan(1000);
  expect([foreign, [...errors]]).toEqual([[], [RedisUnavailableError]]);
});

test("counters are what was acknowledged, and at most what is unknown on top, through kills and restarts", async () => {
  const one = open();
  await one.redis.del("counter");
  const { seen, stop } = load(async () => void (await one.redis.incr("counter")));
  for (let round = 0; round < 3; round++) {
    const { done } = seen;
    await waitFor(() => seen.done > done + 50);
    await server.kill();
    await server.start();
    await recovery(one);
  }
  const { done, failed } = await stop();
  const counted = Number(await one.redis.get("counter"));
  expect(counted).toBeGreaterThanOrEqual(done);
  expect(counted).toBeLessThanOrEqual(done + failed);
});

test("a connection cut between a command and its answer is unknown, and the command is done once", async () => {
  await using proxy = await startProxy(server.url);
  const one = open({ url: proxy.url });
  const direct = open();
  const values = redisValues(one, { name: "cut" });
  await Promise.all([direct.redis.del("cut"), direct.redis.del("cut:v:cut")]);
  await one.redis.incr("cut");
  for (let round = 1; round <= 5; round++) {
    proxy.mode = "cut";
    await expect(one.redis.incr("cut")).rejects.toThrow(RedisUnavailableError);
    expect(await recovery(one)).toBeLessThan(1000);
    expect(await direct.redis.get("cut")).toBe(String(1 + round));
  }
  await values.add("cut", 1, { ttlMs: 60_000 });
  proxy.mode = "cut";
  await expect(values.add("cut", 1, { ttlMs: 60_000 })).rejects.toThrow(
    expect.objectContaining({ code: "CORE_SHARED_STATE_UNAVAILABLE" }),
  );
  await recovery(one);
  expect(await values.get("cut")).toBe(2);
});

test("a bounded number of commands waits for a connection; who gave up is never sent later", async () => {
  await using proxy = await startProxy(server.url);
  const one = open({ url: proxy.url, commandTimeoutMs: 300 });
  const direct = open();
  proxy.mode = "silent";
  const begin = performance.now();
  let refusedAtOnce = 0;
  const piece = one.redis.pipeline();
  for (let index = 0; index < 100; index++) piece.set(`late:piece:${index}`, 1);
  const pieces = [piece.exec()];
  const calls = Array.from({ length: 1400 }, (_, index) =>
    one.redis.set(`late:${index}`, 1).catch((error: unknown) => {
      if (error instanceof RedisUnavailableError && error.reason.startsWith("too many")) refusedAtOnce++;
      return error;
    }),
  );
  const overfull = one.redis.multi();
  for (let index = 0; index < 100; index++) overfull.set(`late:piece:${index}`, 1);
  pieces.push(overfull.exec().catch(() => null)); // a transaction fails as one
  const answers = await Promise.all(calls);
  for (const results of await Promise.all(pieces)) {
    expect(results?.every(([error]) => error instanceof RedisUnavailableError) ?? true).toBe(true);
  }
  expect(answers.every((answer) => answer instanceof RedisUnavailableError)).toBe(true);
  expect(refusedAtOnce).toBe(500);
  expect(one.metrics.waiting).toBe(0);
  expect(performance.now() - begin).toBeLessThan(1000);
  proxy.mode = "pass";
  proxy.drop();
  await recovery(one);
  expect(await direct.redis.exists("late:0", "late:1", "late:899", "late:1399", "late:piece:0")).toBe(0);
  const values = Array.from({ length: 50 }, (_, index) => one.redis.echo(`${index}`));
  expect(await Promise.all(values)).toEqual(Array.from({ length: 50 }, (_, index) => `${index}`));
});

test("what was given up before the connection was back is not sent when it is", async () => {
  await using proxy = await startProxy(server.url);
  const one = open({ url: proxy.url, commandTimeoutMs: 300 });
  await one.redis.del("late");
  proxy.mode = "slow"; // two exchanges until a connection is ready
  proxy.drop();
  await waitFor(() => one.redis.status !== "ready", { intervalMs: 1 });
  const begin = performance.now();
  const piece = one.redis.pipeline().set("late", 2).get("late").exec();
  await expect(one.redis.set("late", 1)).rejects.toThrow(RedisUnavailableError);
  expect((await piece)?.every(([error]) => error instanceof RedisUnavailableError)).toBe(true);
  expect(performance.now() - begin).toBeLessThan(1000);
  await waitFor(() => one.redis.status === "ready");
  proxy.mode = "pass";
  expect(await recovery(one)).toBeLessThan(1000);
  expect(await one.redis.exists("late")).toBe(0);
});

test("a pipeline waits or is refused as one, and leaves the answers of others where they belong", async () => {
  await using proxy = await startProxy(server.url);
  const one = open({ url: proxy.url, maxQueue: 10 });
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
    const alone = Promise.all(echoes(singles).map((text) => one.redis.echo(text)));
    const together = await echoed(echoes(5));
    const outcomes = together?.map(([error, text]) =>
      error instanceof RedisUnavailableError ? "refused" : text,
    );
    expect(outcomes).toEqual(fits ? echoes(5) : echoes(5).map(() => "refused"));
    expect(await alone).toEqual(echoes(singles));
    proxy.mode = "pass";
    expect(await Promise.all(echoes(10).map((text) => one.redis.echo(text)))).toEqual(echoes(10));
  }
});

test("a server that has become a replica is left, and nothing is written twice", async () => {
  const one = open();
  const direct = open();
  await one.redis.del("written");
  await direct.redis.replicaof("127.0.0.1", 1);
  await expect(one.redis.incr("written")).rejects.toThrow(RedisUnavailableError);
  await direct.redis.replicaof("NO", "ONE");
  await recovery(one);
  expect(await one.redis.incr("written")).toBe(1);
});

test("messages reach everybody again after the server is back, also one that was sent while a listener was away for a moment", async () => {
  await using proxy = await startProxy(server.url);
  const [near, far] = [redisValues(open()), redisValues(open({ url: proxy.url }))];
  const seen: unknown[] = [];
  far.subscribe("news", (message) => void seen.push(message));
  await far.get("ready");
  proxy.drop();
  await near.publish("news", "while away");
  expect(seen).toEqual(["while away"]);
  await server.kill();
  await expect(near.publish("news", "nobody")).rejects.toMatchObject({
    code: "CORE_SHARED_STATE_UNAVAILABLE",
  });
  await server.start();
  await waitFor(async () => {
    await near.publish("news", "back");
    return seen.includes("back");
  });
  await Promise.all([near.close(), far.close()]);
});

for (const [onStoreError, status] of [
  ["allow", 200],
  ["deny", 503],
] as const) {
  test(`a rate limit whose store is away answers ${status} by its policy "${onStoreError}", and limits again within a second`, async () => {
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
    const ask = async () => (await client.get("/")).status;
    await waitFor(async () => (await ask()) === 429);
    for (const [fail, heal] of [
      [() => server.kill(), () => server.start()],
      [() => server.pause(), () => server.resume()],
    ] as const) {
      await fail();
      const times: number[] = [];
      for (let call = 0; call < 12; call++) {
        const begin = performance.now();
        expect(await ask()).toBe(status);
        times.push(performance.now() - begin);
      }
      expect(times.sort((a, b) => a - b)[6]).toBeLessThan(100);
      await heal();
      const begin = performance.now();
      await waitFor(async () => (await ask()) === 429, { intervalMs: 5 });
      expect(performance.now() - begin).toBeLessThan(1500);
    }
  });
}

test("a cluster that loses a master: calls fail in time, and go on when its replica has taken over", async () => {
  await using cluster = await startRedisCluster();
  for (const { url } of cluster.nodes.slice(3)) {
    const replica = open({ url });
    // A replica that never had its master's data does not take over.
    await waitFor(async () => (await replica.redis.info("replication")).includes("master_link_status:up"), {
      timeoutMs: 15_000,
    });
  }
  const one = openRedis({ url: cluster.url, clusterMode: true }, { log });
  const foreign: unknown[] = [];
  const { seen, stop } = load(tagged(one, foreign));
  await waitFor(() => seen.done > 200);
  await cluster.nodes[0]?.kill();
  await waitFor(() => seen.failed > 5, { timeoutMs: 10_000 });
  await waitFor(
    async () => {
      for (let key = 0; key < 60; key++) await one.redis.set(`after:${key}`, key);
      return true;
    },
    { timeoutMs: 20_000, intervalMs: 50 },
  );
  const { slowestMs, errors } = await stop();
  expect(slowestMs).toBeLessThan(2 * bounded); // each writes and reads
  expect([foreign, [...errors]]).toEqual([[], [RedisUnavailableError]]);
  await one.close();
});
