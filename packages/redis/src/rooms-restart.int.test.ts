import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { App } from "@framework/core";
import { type FragileServer, findProgram, startRedis } from "@framework/services";
import { waitFor } from "@framework/testing";
import { websocket } from "@framework/websocket";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { redis } from "./index.ts";

const log = { warn: () => {}, error: () => {}, info: () => {} }; // lost connections are expected

let server: FragileServer;
beforeAll(async () => {
  if (findProgram("redis-server") === null) throw new Error("redis-server is not installed");
  server = await startRedis(); // keeps no data
});
afterAll(() => server.stop());

/** A service of one host, with two clients in the room; `received` counts each message of each client. */
const startHost = async (keyPrefix: string) => {
  const app = new (App.with(redis, websocket))().enableRedis({
    url: server.url,
    keyPrefix,
    shared: true,
    connectionTimeoutSecs: 60,
    commandTimeoutMs: 10_000,
  });
  app.websocket("/room", async (socket) => {
    socket.join("room");
    await socket.recv();
  });
  const running = await app.run({ port: 0, argv: [], logs: false, exitOnError: false, log });
  const received = [0, 1].map(() => new Map<string, number>());
  const clients = received.map((seen) => {
    const client = new WebSocket(`${running.url.replace("http", "ws")}/room`);
    client.addEventListener("message", ({ data }) => seen.set(data, (seen.get(data) ?? 0) + 1));
    return client;
  });
  await waitFor(() => app.room("room").localSize === clients.length);
  const close = async (): Promise<void> => {
    const ended = clients.map((client) => once(client, "close"));
    for (const client of clients) client.close();
    await Promise.all(ended);
    await running.close();
  };
  return { app, received, close };
};

test("while Redis restarts, a room message whose send resolves reaches every client of every host exactly once; all other sends reject", async () => {
  const prefix = `rooms-${randomUUID()}:`;
  const hosts = await Promise.all([0, 1, 2].map(() => startHost(prefix)));
  const confirmed: string[] = [];
  const errors: unknown[] = [];
  let [sent, stopped] = [0, false];
  const senders = hosts.map(async ({ app }) => {
    while (!stopped) {
      const message = `message ${++sent}`;
      await app
        .room("room")
        .sendText(message)
        .then(
          () => confirmed.push(message),
          (error: unknown) => errors.push(error),
        );
      await pause(1); // without a server every call fails at once
    }
  });
  const waitForMore = (): Promise<unknown> => {
    const { length } = confirmed;
    return waitFor(() => confirmed.length > length + 60);
  };
  for (let round = 0; round < 3; round++) {
    await waitForMore();
    const before = errors.length;
    await server.kill();
    await waitFor(() => errors.length > before);
    await server.start();
  }
  await waitForMore();
  stopped = true;
  await Promise.all(senders);

  const all = hosts.flatMap(({ received }) => received);
  await waitFor(() => all.every((seen) => confirmed.every((message) => seen.has(message))), {
    subject: "every confirmed message at every client",
  }).catch(() => {}); // the next lines say what is missing
  for (const seen of all) {
    expect(confirmed.filter((message) => seen.get(message) !== 1)).toEqual([]);
    expect([...seen.values()].filter((times) => times > 1)).toEqual([]);
  }
  const codes = new Set(errors.map((error) => (error as { code?: unknown }).code));
  expect([...codes].filter((code) => !refusals.has(code))).toEqual([]);
  await Promise.all(hosts.map(({ close }) => close()));
});

/** Codes with which a send to a room may be refused while Redis is unavailable. */
const refusals: ReadonlySet<unknown> = new Set([
  "WEBSOCKET_BROADCAST_INCOMPLETE",
  "CORE_SHARED_STATE_UNAVAILABLE",
]);
