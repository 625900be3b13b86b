import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, type Message, messaging } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };
const TTL_MS = 1000;
const retry = { quickTries: 1, delaysMs: [] };

/** Creates an app on an in-memory broker, with a virtual clock. */
const appOn = (broker = memoryBroker()) => {
  const clock = virtualClock();
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging({ broker, clock, drainMs: 0 });
  const stop = async (): Promise<void> => {
    const stopping = app.stop();
    await clock.advance(1);
    await stopping;
  };
  return { app, clock, stop };
};

test("a dead letter does not expire, and requests no reply", async () => {
  const broker = memoryBroker();
  const { app, clock, stop } = appOn(broker);
  const deadLetters: Message[] = [];
  app.messaging.subscribe("books", { group: "search", retry }, () => {
    throw new Error("broken");
  });
  await app.start({ log: quiet });
  const pending = app.messaging.request("books", { type: "t" }, { timeoutMs: TTL_MS });
  await expect(pending).rejects.toMatchObject({ code: "MESSAGING_REQUEST_FAILED" });
  await waitFor(() => app.messaging.status()[0]?.deadLettered === 1, long);
  await stop();

  const later = appOn(broker);
  await later.clock.advance(clock.date() - later.clock.date() + 2 * TTL_MS);
  later.app.messaging.subscribe(
    "books.search.dlq",
    { group: "ops" },
    (message) => void deadLetters.push(message),
  );
  await later.app.start({ log: quiet });
  await waitFor(() => deadLetters.length === 1 || later.app.messaging.status()[0]?.done === 1, long);
  expect(deadLetters.map(({ headers }) => headers["framework-dead-message"])).toEqual(["broken"]);
  expect(deadLetters[0]?.headers).not.toHaveProperty("framework-reply-to");
  await later.stop();
});

test("a parked message that is replayed after its time to live is handled", async () => {
  const { app, clock, stop } = appOn();
  let calls = 0;
  app.messaging.subscribe("books", { group: "search", retry, deadLetter: "parked" }, () => {
    if (++calls === 1) throw new Error("broken");
  });
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "t" }, { ttlMs: TTL_MS });
  const { parked } = app.durable;
  await waitFor(async () => (await parked.list()).items.length === 1, long);
  await clock.advance(2 * TTL_MS);
  await parked.replay({ source: "message" });
  await waitFor(() => app.messaging.status()[0]?.done === 1 || calls === 2, long);
  expect(calls).toBe(2);
  await stop();
});
