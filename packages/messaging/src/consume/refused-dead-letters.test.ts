import { App, type Logger } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { newHeaders } from "../envelope/event.ts";
import { messaging } from "../index.ts";
import { fakeDelivery, fakeBroker, type FakeBrokerOptions, logCapabilities } from "./fake-broker.test-kit.ts";

const long = { timeoutMs: 60_000 };
const place = { partition: "books-0", offset: "5" };
const headers = Object.assign(newHeaders(), { "x-big": "b", "content-type": "application/json" });

/** Starts an app whose handler rejects every message, on a broker that refuses messages. */
const startRejecting = async (options: FakeBrokerOptions) => {
  const clock = virtualClock();
  const errors: string[] = [];
  const log: Logger = { info() {}, warn() {}, error: (message) => void errors.push(message) };
  const broker = fakeBroker({ capabilities: logCapabilities, ...options });
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, clock, drainMs: 0 });
  app.messaging.subscribe("books", { group: "search" }, (_message, context) => context.reject("no"));
  await app.start({ log });
  await waitFor(() => app.messaging.status()[0]?.state === "running", long);
  const until = async (holds: () => boolean): Promise<void> =>
    void (await waitFor(async () => (await clock.advance(100), holds()), long));
  const stop = async (): Promise<void> => {
    const stopping = app.stop();
    await clock.advance(1);
    await stopping;
  };
  return { app, clock, broker, errors, until, [Symbol.asyncDispose]: stop };
};

test("a dead letter that the broker refuses three times is stored without the message's headers", async () => {
  let refusals = 0;
  const refuses = (message: { headers: Readonly<Record<string, string>> }): boolean =>
    message.headers["x-big"] !== undefined;
  await using one = await startRejecting({
    refuses,
    beforeSend: async (messages) => void (refusals += messages.filter(refuses).length),
  });
  one.broker.sink().deliver([fakeDelivery("1", { ...place, headers })]);
  await one.until(() => one.broker.settled.length === 1);
  expect(refusals).toBe(3);
  expect(one.broker.sent).toHaveLength(1);
  expect(one.broker.sent[0]).toMatchObject({ topic: "books.search.dlq", body: fakeDelivery("1").body });
  expect(one.broker.sent[0]?.headers).toMatchObject({
    "content-type": "application/json",
    "framework-dead-topic": "books",
    "framework-dead-left-out": "headers",
    "framework-dead-place": "books books-0 5",
  });
  expect(one.errors).toContain(
    "messaging: the broker refused a dead letter; it is stored without the message's headers",
  );
});

test("a dead letter that the broker refuses even without headers is stored with a truncated body", async () => {
  await using one = await startRejecting({ refuses: ({ body }) => body.length > 5000 });
  const body = `"${"x".repeat(9000)}"`;
  one.broker.sink().deliver([fakeDelivery("1", { ...place, headers, body })]);
  await one.until(() => one.broker.settled.length === 1);
  const [message] = one.broker.sent;
  expect(Buffer.from(message?.body ?? "").toString()).toBe(body.slice(0, 4096));
  expect(message?.headers).toMatchObject({
    "content-type": "application/octet-stream",
    "framework-dead-left-out": "headers, body after 4096 bytes",
    "framework-dead-place": "books books-0 5",
  });
});

test("while the dead-letter topic refuses everything, messages stay unsettled, and the status has the reason", async () => {
  let refuses = true;
  await using one = await startRejecting({ refuses: () => refuses });
  one.broker.sink().deliver([fakeDelivery("1", { ...place, headers })]);
  await one.until(() => one.app.messaging.status()[0]?.reason !== null);
  expect(one.app.messaging.status()[0]).toMatchObject({
    state: "running",
    reason: "a message to books.search.dlq cannot be stored: it is too large",
  });
  expect(one.broker.settled).toEqual([]);
  refuses = false;
  await one.until(() => one.broker.settled.length === 1);
  await waitFor(() => one.app.messaging.status()[0]?.reason === null, long);
  expect(one.broker.sent[0]?.headers).toMatchObject({ "x-big": "b" }); // each retry begins with the whole dead letter
});

test("a dead letter that the broker refuses even without headers is parked if the app parks dead letters", async () => {
  const clock = virtualClock();
  const broker = fakeBroker({ capabilities: logCapabilities, refuses: () => true });
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging({ broker: broker.adapter, clock, drainMs: 0 });
  app.messaging.subscribe("shelves", { group: "search", deadLetter: "parked" }, () => {});
  app.messaging.subscribe("books", { group: "search" }, (_message, context) => context.reject("no"));
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await waitFor(() => app.messaging.status().every(({ state }) => state === "running"), long);
  broker.sink().deliver([fakeDelivery("1", { ...place, headers })]);
  await waitFor(async () => (await clock.advance(100), broker.settled.length === 1), long);
  const { items } = await app.durable.parked.list();
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ name: "books search" });
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

test("the process holds a delayed try that the broker refuses", async () => {
  const clock = virtualClock();
  const broker = fakeBroker({ capabilities: logCapabilities, refuses: () => true });
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, clock, drainMs: 0 });
  let tries = 0;
  const retry = { quickTries: 1, delaysMs: [5000], jitter: 0 };
  app.messaging.subscribe("books", { group: "search", retry }, () => {
    if (++tries === 1) throw new Error("not yet");
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await waitFor(() => app.messaging.status()[0]?.state === "running", long);
  broker.sink().deliver([fakeDelivery("1", place)]);
  await waitFor(async () => (await clock.advance(100), tries === 2), long);
  await waitFor(async () => (await clock.advance(100), broker.settled.length === 1), long);
  expect(clock.now()).toBeGreaterThanOrEqual(5000);
  expect(broker.sent).toEqual([]);
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});
