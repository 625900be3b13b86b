import { App } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";
import { newHeaders } from "../envelope/event.ts";
import type { Sink } from "../port/sink.ts";

const quiet = { info() {}, warn() {}, error() {} };

test.each([
  ["maxMessages", { maxMessages: Number.NaN }],
  ["maxMessages", { maxMessages: 0 }],
  ["maxMessages", { maxMessages: "10" }],
  ["clock", { clock: {} }],
  ["maxMesages", { maxMesages: 10 }],
])("an in-memory broker refuses an invalid or unknown %s", (name, options) => {
  expect(() => memoryBroker(options as never)).toThrow(
    expect.objectContaining({ code: "CORE_BAD_CONFIG", message: expect.stringContaining(name) }),
  );
});

test("a delayed message that was sent before its topic had a group is delivered at its due time", async () => {
  const clock = virtualClock();
  const broker = memoryBroker({ clock });
  const sender = new (App.with(messaging))().enableMessaging({ broker, clock, drainMs: 0 });
  await sender.start({ log: quiet });
  await sender.messaging.send("books", { type: "t", id: "later" }, { delayMs: 60_000 });
  await sender.messaging.send("books", { type: "t", id: "now" });
  await clock.advance(20_000);
  const app = new (App.with(messaging))().enableMessaging({ broker, clock, drainMs: 0 });
  const got: string[] = [];
  app.messaging.subscribe("books", { group: "search" }, ({ id }) => void got.push(id));
  await app.start({ log: quiet });
  await waitFor(() => got.length > 0, { timeoutMs: 60_000 });
  await clock.advance(39_999);
  expect(got).toEqual(["now"]);
  await clock.advance(1);
  await waitFor(() => got.length === 2, { timeoutMs: 60_000 });
  for (const each of [sender, app]) {
    const stopping = each.stop();
    await clock.advance(1);
    await stopping;
  }
});

test("a consumer that is paused before its start fetches nothing until it is resumed", async () => {
  const clock = virtualClock();
  const broker = memoryBroker().open({ name: "own", instance: "1", clock, random: () => 0, log: quiet });
  const got: unknown[] = [];
  const sink = {
    room: () => 10,
    deliver: (deliveries: readonly unknown[]) => void got.push(...deliveries),
    state() {},
  } as unknown as Sink;
  const consumer = broker.consumer({
    topics: ["books"],
    pattern: null,
    group: "search",
    order: "none",
    prefetch: 10,
    from: "earliest",
    isPrivate: false,
    timeoutMs: 1000,
    sink,
  });
  consumer.pause();
  consumer.start();
  const message = { topic: "books", id: "1", key: null, headers: newHeaders(), body: "1", delayMs: 0 };
  await broker.producer.send([message], { signal: new AbortController().signal });
  await clock.advance(1000);
  expect(got).toHaveLength(0);
  consumer.resume();
  await clock.advance(1);
  expect(got).toHaveLength(1);
  await consumer.close();
});

test('`broker: "memory"` delays messages by the clock of its app', async () => {
  const clock = virtualClock();
  const app = new (App.with(messaging))().enableMessaging({ broker: "memory", clock, drainMs: 0 });
  const got: string[] = [];
  app.messaging.subscribe("books", { group: "search" }, ({ id }) => void got.push(id));
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", { timeoutMs: 60_000 });
  await app.messaging.send("books", { type: "t", id: "later" }, { delayMs: 60_000 });
  await clock.advance(59_999);
  expect(got).toEqual([]);
  await clock.advance(1);
  expect(got).toEqual(["later"]);
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});
