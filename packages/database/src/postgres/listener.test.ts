import { EventEmitter } from "node:events";
import type { Client } from "pg";
import { expect, test } from "@jest/globals";
import { Listener } from "./listener.ts";

const fakeClient = (): Client =>
  Object.assign(new EventEmitter(), { query: async () => {}, end: async () => {} }) as unknown as Client;

test("a listener that listens again during a notification gets it once", async () => {
  const client = fakeClient();
  const listener = new Listener(async () => client);
  let calls = 0;
  const listenAgain = (): void => {
    if (++calls < 100) void listener.add("news", listenAgain, () => {});
  };
  await listener.add("news", listenAgain, () => {});
  client.emit("notification", { channel: "news", payload: "" });
  expect(calls).toBe(1);
  await listener.close();
});

test("a listener that another one stops during a notification is not called", async () => {
  const client = fakeClient();
  const listener = new Listener(async () => client);
  const calls: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  for (const name of ["first", "second"]) {
    const call = (): void => {
      calls.push(name);
      for (const stop of stops) void stop();
    };
    stops.push(await listener.add("news", call, () => {}));
  }
  client.emit("notification", { channel: "news", payload: "" });
  client.emit("notification", { channel: "news", payload: "" });
  expect(calls).toEqual(["first"]);
  await listener.close();
});

test("an onGap that listens again is called once for each reconnection", async () => {
  const clients: Client[] = [];
  const listener = new Listener(async () => {
    const client = fakeClient();
    clients.push(client);
    return client;
  });
  const reconnected = Promise.withResolvers<void>();
  let calls = 0;
  const onGap = (): void => {
    reconnected.resolve();
    if (++calls < 100) void listener.add("news", () => {}, onGap);
  };
  await listener.add("news", () => {}, onGap);
  clients[0]?.emit("end");
  await reconnected.promise;
  expect([clients.length, calls]).toEqual([2, 1]);
  await listener.close();
});
