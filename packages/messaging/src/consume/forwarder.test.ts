import { App } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { shortPause } from "../contract/harness/until.ts";
import { newHeaders } from "../envelope/event.ts";
import { REPLY_TO } from "../envelope/own-headers.ts";
import type { OutgoingMessage } from "../port/delivery.ts";
import { messaging, type MessageContext } from "../index.ts";
import { fakeDelivery, fakeBroker, type FakeBrokerOptions, logCapabilities } from "./fake-broker.test-kit.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };
const REPLIES = "replies.018f7b0e-6a3c-4a7e-9c55-2d1f0a7f3b11";

test.each<[string, (context: MessageContext) => void, FakeBrokerOptions]>([
  ["dead letter", (context) => context.reject("no such book"), {}],
  ["delayed try", (context) => context.retry({ delayMs: 5000 }), { capabilities: logCapabilities }],
])("a clean stop waits for an unconfirmed %s, and settles its message", async (_case, decide, options) => {
  const begun = Promise.withResolvers<void>();
  const confirmed = Promise.withResolvers<void>();
  const beforeSend = async (): Promise<void> => {
    begun.resolve();
    await confirmed.promise;
  };
  const broker = fakeBroker({ ...options, beforeSend });
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter });
  app.messaging.subscribe("books", { group: "search" }, (_message, context) => decide(context));
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", long);
  broker.sink().deliver([fakeDelivery("1", { partition: "books-0", offset: "0" })]);
  await begun.promise;
  let hasStopped = false;
  const stopping = app.stop().then(() => (hasStopped = true));
  await shortPause();
  expect(hasStopped).toBe(false);
  confirmed.resolve();
  await stopping;
  expect(broker.settled.map(({ action }) => action)).toEqual(["done"]);
});

test("a clean stop waits for the reply to a message that became a dead letter", async () => {
  const begun = Promise.withResolvers<void>();
  const confirmed = Promise.withResolvers<void>();
  const beforeSend = async ([message]: readonly OutgoingMessage[]): Promise<void> => {
    if (message?.topic !== REPLIES) return;
    begun.resolve();
    await confirmed.promise;
  };
  const broker = fakeBroker({ beforeSend });
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter });
  app.messaging.subscribe("books", { group: "search" }, (_message, context) =>
    context.reject("no such book"),
  );
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", long);
  broker
    .sink()
    .deliver([fakeDelivery("1", { headers: Object.assign(newHeaders(), { [REPLY_TO]: REPLIES }) })]);
  await begun.promise;
  let hasStopped = false;
  const stopping = app.stop().then(() => (hasStopped = true));
  await shortPause();
  expect(hasStopped).toBe(false);
  confirmed.resolve();
  await stopping;
  expect(broker.sent.map(({ topic }) => topic).toSorted()).toEqual(["books.search.dlq", REPLIES]);
});

test("at the end of its drain, a stop abandons a dead letter that cannot be stored", async () => {
  const clock = virtualClock();
  let sends = 0;
  const beforeSend = async (): Promise<void> => {
    sends++;
    throw new Error("the broker is unavailable");
  };
  const broker = fakeBroker({ beforeSend });
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, clock, drainMs: 1000 });
  app.messaging.subscribe("books", { group: "search" }, (_message, context) => context.reject("no"));
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", long);
  broker.sink().deliver([fakeDelivery("1")]);
  await waitFor(() => sends === 1, long);
  let hasStopped = false;
  const stopping = app.stop().then(() => (hasStopped = true));
  await shortPause();
  await clock.advance(999);
  expect(hasStopped).toBe(false);
  await clock.advance(1);
  await stopping;
  expect(broker.settled).toEqual([]);
});

test("a dead letter whose message was redelivered to another consumer is abandoned", async () => {
  const clock = virtualClock();
  let tries = 0;
  const settleIn = async (): Promise<void> => {
    tries++;
    throw new Error("the lease was lost");
  };
  const broker = fakeBroker({ consumer: { settleIn } });
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging({ broker: broker.adapter, clock, drainMs: 1000 });
  app.messaging.subscribe("books", { group: "search", deadLetter: "parked" }, (_message, context) =>
    context.reject("no"),
  );
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", long);
  const delivery = fakeDelivery("1");
  broker.sink().deliver([delivery]);
  const isRetried = async (): Promise<boolean> => {
    await clock.advance(100);
    return tries >= 2;
  };
  await waitFor(isRetried, long);
  broker.sink().lost([delivery]);
  const before = tries;
  for (let n = 0; n < 5; n++) {
    await clock.advance(20_000);
    await shortPause(20);
  }
  expect(tries - before).toBeLessThanOrEqual(1); // a try may have been running
  await app.stop();
});

test("dead letters of messages without an id have unique ids; an id of the broker is kept", async () => {
  const broker = fakeBroker();
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter });
  app.messaging.subscribe("books", { group: "search" }, () => {});
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", long);
  const withId = fakeDelivery("3", { body: "no JSON", id: "of the broker" });
  broker
    .sink()
    .deliver([fakeDelivery("1", { body: "no JSON" }), fakeDelivery("2", { body: "no JSON" }), withId]);
  await waitFor(() => broker.sent.length === 3, long);
  await app.stop();
  const ids = broker.sent.map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  expect(ids).toContain("of the broker");
});
