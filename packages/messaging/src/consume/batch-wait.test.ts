import { App } from "@framework/core";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";
import { fakeBroker, fakeDelivery } from "./fake-broker.test-kit.ts";

const long = { timeoutMs: 60_000 };

test("after a full batch, `waitMs` begins again with the next message", async () => {
  const clock = virtualClock();
  const app = new (App.with(messaging))().enableMessaging({
    broker: memoryBroker({ clock }),
    clock,
    drainMs: 0,
  });
  const batches: string[] = [];
  app.messaging.subscribeBatch("books", { group: "search", batch: { size: 2, waitMs: 1000 } }, (messages) => {
    batches.push(messages.map(({ id }) => id).join());
    return new Map(messages.map(({ id }) => [id, "ack"] as const));
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const status = () => app.messaging.status()[0];
  const send = async (id: string, received: number): Promise<void> => {
    await app.messaging.send("books", { type: "t", id });
    await waitFor(() => status()?.received === received, long);
  };
  await send("1", 1);
  await clock.advance(900);
  await send("2", 2);
  await send("3", 3);
  await clock.advance(900);
  await send("4", 4);
  await waitFor(() => status()?.done === 4, long);
  await clock.advance(1000);
  await send("5", 5);
  await send("6", 6);
  await waitFor(() => status()?.done === 6, long);
  await send("7", 7);
  await clock.advance(1000);
  await waitFor(() => status()?.done === 7, long);
  expect(batches).toEqual(["1,2", "3,4", "5,6", "7"]);
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

test("after the loss of a partial batch, the next partial batch waits for `waitMs`", async () => {
  const clock = virtualClock();
  const broker = fakeBroker();
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, clock, drainMs: 0 });
  const batches: string[] = [];
  app.messaging.subscribeBatch("books", { group: "search", batch: { size: 2, waitMs: 1000 } }, (messages) => {
    batches.push(messages.map(({ id }) => id).join());
    return new Map(messages.map(({ id }) => [id, "ack"] as const));
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await waitFor(() => app.messaging.status()[0]?.state === "running", long);
  const lost = [fakeDelivery("lost")];
  broker.sink().deliver(lost);
  broker.sink().lost(lost);
  await clock.advance(1000);
  broker.sink().deliver([fakeDelivery("1")]);
  await clock.advance(900);
  expect(batches).toEqual([]);
  await clock.advance(100);
  await waitFor(() => broker.settled.length === 1, long);
  expect(batches).toEqual(["1"]);
  await app.stop();
});
