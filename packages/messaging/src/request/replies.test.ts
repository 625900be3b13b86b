import { App, type Middleware } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { aborted } from "@framework/core/feature";
import { virtualClock } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { BrokerAdapter } from "../adapter.ts";
import { fakeBroker, fakeDelivery } from "../consume/fake-broker.test-kit.ts";
import { newHeaders } from "../envelope/event.ts";
import { memoryBroker, type Message, messaging, type Outcome } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };
const retry = { quickTries: 3, quickDelayMs: 1, delaysMs: [] };

/** Creates an in-memory broker that refuses replies, as if the requester had ended. */
const withoutReplies = (): BrokerAdapter => {
  const inner = memoryBroker();
  const open: BrokerAdapter["open"] = (context) => {
    const broker = inner.open(context);
    return {
      ...broker,
      producer: {
        async send(messages, options) {
          if (messages.every(({ topic }) => !topic.startsWith("replies.")))
            return await broker.producer.send(messages, options);
          return messages.map(() => ({ ok: false, error: new Error("no exchange"), isRetryable: true }));
        },
      },
    };
  };
  return { ...inner, open };
};

test("a handler whose reply cannot be sent is not called again, and its message is done", async () => {
  const warnings: string[] = [];
  const app = new (App.with(messaging))().enableMessaging({ broker: withoutReplies() });
  let calls = 0;
  app.messaging.subscribe("payments", { group: "bank", retry }, () => ({ paid: ++calls }));
  await app.start({ log: { ...quiet, warn: (message) => void warnings.push(message) } });
  const pending = app.messaging.request("payments", { type: "t" }, { timeoutMs: 200 });
  await expect(pending).rejects.toMatchObject({ code: "MESSAGING_NO_REPLY" });
  await waitFor(() => app.messaging.status()[0]?.done === 1, long);
  expect([calls, app.messaging.status()[0]?.deadLettered]).toEqual([1, 0]);
  expect(warnings).toContain("messaging: a reply was not sent");
  await app.stop();
});

test("a request whose handler throws after `ack` fails", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  app.messaging.subscribe("payments", { group: "bank", ack: "manual" }, ({ type }, context) => {
    context.ack();
    throw Object.assign(new Error("the ledger is closed"), { code: type });
  });
  await app.start({ log: quiet });
  const request = (type: string) => app.messaging.request("payments", { type }, long);
  await expect(request("LEDGER_CLOSED")).rejects.toMatchObject({
    code: "MESSAGING_REQUEST_FAILED",
    cause: { message: expect.stringContaining("LEDGER_CLOSED") },
  });
  await app.stop();
});

test("the error code in a reply is at most 500 bytes, without control characters, also from another program", async () => {
  const broker = memoryBroker();
  const app = new (App.with(messaging))().enableMessaging({ broker });
  const code = `A\r\nB\u001B[31m${"C".repeat(4000)}`;
  app.messaging
    .subscribe("payments", { group: "bank", ack: "manual" }, (_message, { ack }) => {
      ack();
      throw Object.assign(new Error("the ledger is closed"), { code });
    })
    .subscribe("foreign", { group: "bank", ack: "manual" }, async ({ id, headers }, { ack }) => {
      const own = { "framework-reply-of": id, "framework-reply-error": code };
      const event = { specversion: "1.0", id: "1", type: "t.reply", source: "/bank" };
      const reply = {
        topic: headers["framework-reply-to"] ?? "",
        id: "1",
        key: null,
        headers: Object.assign(newHeaders(), { "content-type": "application/cloudevents+json", ...own }),
        body: JSON.stringify(event),
        delayMs: 0,
      };
      const context = { name: "other", instance: "1", clock: virtualClock(), random: () => 0, log: quiet };
      const { signal } = new AbortController();
      await broker.open(context).producer.send([reply], { signal });
      ack();
    });
  await app.start({ log: quiet });
  for (const topic of ["payments", "foreign"]) {
    const failure: unknown = await app.messaging
      .request(topic, { type: "t" }, long)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "MESSAGING_REQUEST_FAILED",
      cause: { message: expect.stringMatching(/: A\?\?B\?\[31mC{100,491}$/) },
    });
  }
  await app.stop();
});

test.each(["replies.x", "replies.018F7B0E-6A3C-4A7E-9C55-2D1F0A7F3B11", "books"])(
  "no reply is sent to %s, which is not the reply topic of a process",
  async (topic) => {
    const broker = fakeBroker();
    const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter });
    app.messaging.subscribe("payments", { group: "bank" }, () => "paid");
    await app.start({ log: quiet });
    await waitFor(() => app.messaging.status()[0]?.state === "running", long);
    const headers = Object.assign(newHeaders(), { "framework-reply-to": topic });
    broker.sink().deliver([fakeDelivery("1", { headers })]);
    await waitFor(() => broker.settled.length === 1, long);
    expect(broker.sent).toEqual([]);
    await app.stop();
  },
);

test("a request to a batch handler fails at once, with the reason", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  app.messaging.subscribeBatch("payments", { group: "bank", batch: { size: 2 } }, (messages) => {
    return new Map(messages.map(({ id }) => [id, "ack"] as const));
  });
  await app.start({ log: quiet });
  await expect(app.messaging.request("payments", { type: "t" }, { timeoutMs: 10_000 })).rejects.toMatchObject(
    {
      code: "MESSAGING_REQUEST_FAILED",
      cause: { message: expect.stringContaining("subscribeBatch") },
    },
  );
  await waitFor(() => app.messaging.status()[0]?.done === 1, long);
  await app.stop();
});

test("with the inbox, a request whose transaction fails to commit fails", async () => {
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging({ broker: memoryBroker() });
  const options = { group: "bank", dedupe: "inbox", retry: { quickTries: 1, delaysMs: [] } } as const;
  app.messaging.subscribe("payments", options, async (_message, { tx }) => {
    await tx.execute`INSERT INTO payments (account) VALUES (1)`; // the foreign key is checked at the commit
    return { paid: true };
  });
  await app.start({ log: quiet });
  await app.db.execute`CREATE TABLE accounts (id INTEGER PRIMARY KEY)`;
  await app.db
    .execute`CREATE TABLE payments (account INTEGER REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED)`;
  const pending = app.messaging.request("payments", { type: "t" }, long);
  await expect(pending).rejects.toMatchObject({ code: "MESSAGING_REQUEST_FAILED" });
  await app.stop();
});

test("the in-memory broker drops a reply to a process that has ended", async () => {
  const broker = memoryBroker();
  const context = { name: "default", instance: "1", clock: virtualClock(), random: () => 0, log: quiet };
  const { producer, health } = broker.open(context);
  const reply = {
    topic: "replies.018f7b0e-6a3c-4a7e-9c55-2d1f0a7f3b11",
    id: "1",
    key: null,
    headers: {},
    body: "1",
    delayMs: 0,
  };
  const { signal } = new AbortController();
  expect(await producer.send([reply], { signal })).toEqual([{ ok: true }]);
  expect(await health(signal)).toEqual({ topics: 0 });
});

test.each(["none", "inbox"] as const)(
  "the time until a reply is sent does not count towards the time limit of a handler: dedupe %s",
  async (dedupe) => {
    const clock = virtualClock();
    const inner = memoryBroker();
    let replies = 0;
    const open: BrokerAdapter["open"] = (context) => {
      const broker = inner.open(context);
      return {
        ...broker,
        producer: {
          async send(messages, options) {
            if (messages.every(({ topic }) => !topic.startsWith("replies.")))
              return await broker.producer.send(messages, options);
            replies++;
            await aborted(options.signal);
            return messages.map(() => ({ ok: false, error: new Error("blocked"), isRetryable: true }));
          },
        },
      };
    };
    const app = new (App.with(database, durable, messaging))()
      .enableDatabase({ url: "sqlite://:memory:" })
      .enableMessaging({ broker: { ...inner, open }, clock, sendTimeoutMs: 10_000, drainMs: 0 });
    let calls = 0;
    const options = { group: "bank", dedupe, timeoutMs: 5000, retry };
    app.messaging.subscribe("payments", options, () => ({ paid: ++calls }));
    await app.start({ log: quiet });
    const pending = app.messaging.request("payments", { type: "t" }, { timeoutMs: 9000 });
    await waitFor(() => replies === 1, long);
    await clock.advance(5000);
    await clock.advance(5000);
    await expect(pending).rejects.toMatchObject({ code: "MESSAGING_NO_REPLY" });
    await waitFor(() => app.messaging.status()[0]?.inFlight === 0, long);
    await waitFor(
      () => (app.messaging.status()[0]?.done ?? 0) + (app.messaging.status()[0]?.retries ?? 0) > 0,
      long,
    );
    expect([calls, app.messaging.status()[0]?.done, app.messaging.status()[0]?.retries]).toEqual([1, 1, 0]);
    const stopping = app.stop();
    await clock.advance(1);
    await stopping;
  },
);

test("a middleware that hangs after the reply was sent reaches the time limit", async () => {
  const clock = virtualClock();
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker(), clock, drainMs: 0 });
  const hanging: AbortSignal[] = [];
  const middleware: Middleware<Message, Outcome> = async (message, next) => {
    const outcome = await next(message);
    hanging.push(message.signal);
    await aborted(message.signal);
    return outcome;
  };
  app.messaging
    .use(middleware)
    .subscribe("payments", { group: "bank", timeoutMs: 5000, retry }, () => "paid");
  await app.start({ log: quiet });
  expect(await app.messaging.request("payments", { type: "t" }, long)).toBe("paid");
  await waitFor(() => hanging.length === 1, long);
  await clock.advance(5000);
  expect(hanging[0]?.aborted).toBe(true);
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});
