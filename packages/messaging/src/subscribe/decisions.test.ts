import { App, type Logger } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, type MessageContext, messaging, type SubscriptionOptions } from "../index.ts";

const retry = { quickTries: 2, quickDelayMs: 0, delaysMs: [] };

/** Handles one message until it is done or a dead letter, and returns the counters. */
const countsOf = async (
  handle: (context: MessageContext, attempt: number) => unknown,
  options: SubscriptionOptions = {},
): Promise<object> => {
  const warnings: string[] = [];
  const log: Logger = { info() {}, warn: (message) => void warnings.push(message), error() {} };
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging({ broker: memoryBroker() });
  let tries = 0;
  app.messaging.subscribe("books", { group: "search", retry, ...options }, ({ attempt }, context) => {
    tries++;
    return handle(context, attempt);
  });
  await app.start({ log });
  await app.messaging.send("books", { type: "t" });
  const status = () => app.messaging.status()[0];
  await waitFor(() => (status()?.done ?? 0) + (status()?.deadLettered ?? 0) > 0, { timeoutMs: 60_000 });
  await app.stop();
  const isWarned = warnings.some((text) => text.includes("threw after its decision"));
  return { tries, done: status()?.done, deadLettered: status()?.deadLettered, isWarned };
};

const fail = (): never => {
  throw new Error("the cleanup failed");
};

test.each<[string, (context: MessageContext) => unknown]>([
  ["throws", (context) => (context.reject("poison"), fail())],
  ["rejects", async (context) => (context.reject("poison"), await Promise.resolve(), fail())],
])("a message whose handler calls reject and then %s is a dead letter at once", async (_how, handle) => {
  const expected = { tries: 1, done: 0, deadLettered: 1, isWarned: true };
  expect(await countsOf(handle)).toEqual(expected);
  expect(await countsOf(handle, { dedupe: "inbox" })).toEqual(expected);
});

test("a message whose handler calls ack and then throws is done", async () => {
  const handle = (context: MessageContext): unknown => (context.ack(), fail());
  const expected = { tries: 1, done: 1, deadLettered: 0, isWarned: true };
  expect(await countsOf(handle, { ack: "manual" })).toEqual(expected);
});

test.each<[string, (context: MessageContext) => unknown, object]>([
  ["ack", ({ ack }) => ack(), { tries: 1, done: 1, deadLettered: 0 }],
  ["retry", ({ retry: again }) => again(), { tries: 2, done: 0, deadLettered: 1 }],
  ["reject", ({ reject }) => reject("poison"), { tries: 1, done: 0, deadLettered: 1 }],
])("handlers can destructure their context: %s", async (_name, handle, expected) => {
  expect(await countsOf(handle, { ack: "manual" })).toMatchObject(expected);
});

test("with the inbox, throwing after `ack` rolls back the transaction, and the message is tried again", async () => {
  const handle = (context: MessageContext, attempt: number): unknown =>
    attempt === 1 ? (context.ack(), fail()) : context.ack();
  const expected = { tries: 2, done: 1, deadLettered: 0, isWarned: false };
  expect(await countsOf(handle, { ack: "manual", dedupe: "inbox" })).toEqual(expected);
});

test("the delay of a retry is kept if the handler then throws", async () => {
  const clock = virtualClock();
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker({ clock }), clock });
  let tries = 0;
  app.messaging.subscribe("books", { group: "search", retry }, ({ attempt }, context) => {
    tries++;
    if (attempt > 1) return;
    context.retry({ delayMs: 900 });
    fail();
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await app.messaging.send("books", { type: "t" });
  await waitFor(() => app.messaging.status()[0]?.retries === 1, { timeoutMs: 60_000 });
  await clock.advance(899);
  expect(tries).toBe(1);
  await clock.advance(1);
  expect(tries).toBe(2);
  await app.stop();
});
