import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { App } from "@framework/core";
import { caching } from "@framework/cache";
import { type FragileServer, findProgram, startRedis, startProxy } from "@framework/services";
import { type TestClient, testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { openRedis, redis, redisValues } from "./index.ts";

/** Restarts under load: more with `FRAMEWORK_REDIS_RESTARTS=20`. Each one waits for leases of 4 s. */
const RESTARTS = Number(process.env["FRAMEWORK_REDIS_RESTARTS"] ?? 2);

const log = { warn: () => {}, error: () => {}, info: () => {} }; // lost connections are expected

/** A server of one test, which keeps no data: the tests mostly wait for leases, so they run at the same time. */
const startServer = async (): Promise<FragileServer> => {
  if (findProgram("redis-server") === null) throw new Error("redis-server is not installed");
  return await startRedis();
};

/** A host with a cache and the value that all hosts read. */
const startHost = async (truth: { version: number }, url: string) => {
  const app = new (App.with(redis, caching))()
    .enableRedis({ url, shared: true, connectionTimeoutSecs: 60, commandTimeoutMs: 10_000 })
    .enableCaching({ ttl: 3600 });
  app.get("/value", { cache: { tags: ["value"] } }, () => String(truth.version));
  await app.start({ log });
  return { app, client: testClient(app) };
};

const read = async (client: TestClient): Promise<string> => (await client.get("/value")).text;

test.concurrent("after Redis restarted without its data, a confirmed invalidation leaves no outdated reply on any host", async () => {
  await using server = await startServer();
  const truth = { version: 0 };
  const hosts = await Promise.all([0, 1, 2].map(() => startHost(truth, server.url)));
  for (let round = 0; round < 4; round++) {
    await waitFor(async () => {
      const outcomes = await Promise.all(hosts.map(({ client }) => client.get("/value")));
      return outcomes.every((reply) => reply.headers.get("x-cache") === "HIT");
    });
    await server.kill();
    await server.start();
    truth.version++;
    const app = hosts[round % hosts.length]?.app;
    await waitFor(
      async () => {
        await app?.invalidateCache(["value"]); // rejects until this host is connected again
        return true;
      },
      { intervalMs: 1 },
    );
    expect(await Promise.all(hosts.map(({ client }) => read(client)))).toEqual(
      hosts.map(() => String(truth.version)),
    );
  }
  await Promise.all(hosts.map(({ app: each }) => each.stop()));
});

test.concurrent("a host that stays disconnected after a restart of Redis serves no outdated reply, neither then nor after it reconnects", async () => {
  await using server = await startServer();
  await using proxy = await startProxy(server.url);
  const truth = { version: 0 };
  const [near, away] = await Promise.all([startHost(truth, server.url), startHost(truth, proxy.url)]);
  await waitFor(async () => (await away.client.get("/value")).headers.get("x-cache") === "HIT");
  proxy.mode = "silent";
  await server.kill();
  await server.start();
  truth.version++;
  await waitFor(async () => {
    await near.app.invalidateCache(["value"]);
    return true;
  });
  expect(await Promise.all([read(near.client), read(away.client)])).toEqual(["1", "1"]);
  proxy.mode = "pass";
  await waitFor(async () => (await away.client.get("/value")).headers.get("x-cache") === "HIT");
  expect(await read(away.client)).toBe("1");
  await Promise.all([near.app.stop(), away.app.stop()]);
});

test.concurrent("while Redis restarts, each confirmed message reaches every host, once", async () => {
  await using server = await startServer();
  const opened = [0, 1, 2].map(() => openRedis({ url: server.url }, { log }));
  const name = `restart-${randomUUID()}`;
  const hosts = opened.map((open) => redisValues(open, { name, connectionTimeoutMs: 60_000, log }));
  const received = hosts.map(() => new Map<number, number>());
  hosts.forEach((host, at) => {
    host.subscribe("room", (message) => {
      const seen = received[at];
      seen?.set(message as number, (seen.get(message as number) ?? 0) + 1);
    });
  });
  await Promise.all(hosts.map(async (host) => host.get("ready")));
  const confirmed: number[] = [];
  let [sent, failed, stopped] = [0, 0, false];
  const senders = hosts.map(async (host) => {
    while (!stopped) {
      const message = ++sent;
      await host.publish("room", message).then(
        (isComplete) => isComplete && confirmed.push(message),
        () => failed++,
      );
      await pause(1); // without a server every call fails at once
    }
  });
  for (let round = 0; round < RESTARTS; round++) {
    const { length } = confirmed;
    await waitFor(() => confirmed.length > length + 60);
    const before = failed;
    await server.kill();
    await waitFor(() => failed > before);
    await server.start();
  }
  const { length } = confirmed;
  await waitFor(() => confirmed.length > length + 60);
  stopped = true;
  await Promise.all(senders);
  for (const seen of received) {
    expect(confirmed.filter((message) => seen.get(message) !== 1)).toEqual([]);
    expect([...seen.values()].filter((times) => times > 1)).toEqual([]);
  }
  await Promise.all(hosts.map((host) => host.close()));
  await Promise.all(opened.map((open) => open.close()));
});
