import { App, type Logger } from "@framework/core";
import type { Feature, Host } from "@framework/core/feature";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";
import type { BrokerAdapter } from "../port/broker-adapter.ts";
import { fakeDelivery, fakeBroker } from "./fake-broker.test-kit.ts";

const quiet: Logger = { info() {}, warn() {}, error() {} };

/** Creates a feature that gives access to the health checks. */
const probing = () => {
  let host: Host | null = null;
  const feature: Feature = {
    name: "probing",
    install(given) {
      host = given;
      return {};
    },
  };
  const health = async (): Promise<unknown> => {
    const check = host?.insight.healthChecks().find(({ name }) => name === "messaging");
    return await check?.run(AbortSignal.timeout(60_000));
  };
  return { feature, health };
};

/** Creates a broker whose consumers run but never deliver waiting messages. @param overdue number of overdue messages */
const stuckBroker = (waiting: () => number, overdue = waiting): BrokerAdapter => {
  const inner = memoryBroker();
  const open: BrokerAdapter["open"] = (context) => ({
    ...inner.open(context),
    consumer: ({ sink }) => ({
      start: () => sink.state("running"),
      pause() {},
      resume() {},
      stop: async () => {},
      settle: async () => [],
      lag: async () => waiting(),
      overdue: async () => overdue(),
      close: async () => {},
    }),
  });
  return { ...inner, open };
};

test("an app is not ready after messages were overdue for a minute", async () => {
  const clock = virtualClock();
  const { feature, health } = probing();
  let waiting = 0;
  const broker = stuckBroker(() => waiting);
  const app = new (App.with(feature, messaging))().enableMessaging({ broker, clock, drainMs: 0 });
  app.messaging.subscribe("books", { group: "search" }, () => {});
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running");
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await waitFor(() => app.messaging.status()[0]?.lag === waiting);
  };
  await pass(120_000);
  await expect(health()).resolves.toMatchObject({ default: { subscriptions: 1 } }); // no message waits
  waiting = 5;
  await pass(45_000);
  await expect(health()).resolves.toBeDefined();
  await pass(30_000);
  await expect(health()).rejects.toThrow(
    '"books search" is stalled: 5 messages are due, and none was received for',
  );
  waiting = 0;
  await pass(15_000);
  await expect(health()).resolves.toBeDefined();
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

test("an app stays ready while waiting messages are not overdue", async () => {
  const clock = virtualClock();
  const { feature, health } = probing();
  const broker = stuckBroker(
    () => 5,
    () => 0,
  );
  const app = new (App.with(feature, messaging))().enableMessaging({ broker, clock, drainMs: 0 });
  app.messaging.subscribe("books", { group: "search" }, () => {});
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running");
  for (let n = 0; n < 10; n++) await clock.advance(15_000);
  await waitFor(() => app.messaging.status()[0]?.lag === 5);
  await expect(health()).resolves.toMatchObject({ default: { subscriptions: 1 } });
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

test("while the broker does not report the lag, it is not requested again, and the app stays ready", async () => {
  const clock = virtualClock();
  const { feature, health } = probing();
  const lag = Promise.withResolvers<number>();
  let requests = 0;
  const broker = fakeBroker({ consumer: { lag: () => (requests++, lag.promise) } });
  const app = new (App.with(feature, messaging))().enableMessaging({
    broker: broker.adapter,
    clock,
    drainMs: 0,
  });
  app.messaging.subscribe("books", { group: "search" }, () => {});
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running");
  for (let n = 0; n < 10; n++) await clock.advance(15_000);
  await expect(health()).resolves.toMatchObject({ default: { subscriptions: 1 } });
  expect(requests).toBe(1);
  lag.resolve(7);
  await waitFor(() => app.messaging.status()[0]?.lag === 7);
  await clock.advance(15_000);
  expect(requests).toBe(2);
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

test("an app that receives messages again is ready, even if the broker no longer reports the lag", async () => {
  const clock = virtualClock();
  const { feature, health } = probing();
  let isReporting = true;
  const lag = (): Promise<number> => (isReporting ? Promise.resolve(1) : new Promise<never>(() => {}));
  const broker = fakeBroker({ consumer: { lag, overdue: () => Promise.resolve(1) } });
  const app = new (App.with(feature, messaging))().enableMessaging({
    broker: broker.adapter,
    clock,
    drainMs: 0,
  });
  app.messaging.subscribe("books", { group: "search" }, () => {});
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running");
  for (let n = 0; n < 6; n++) await clock.advance(15_000);
  await expect(health()).rejects.toThrow("is stalled");
  isReporting = false;
  await clock.advance(15_000);
  broker.sink().deliver([fakeDelivery("1")]);
  await waitFor(() => app.messaging.status()[0]?.done === 1);
  await expect(health()).resolves.toMatchObject({ default: { subscriptions: 1 } });
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

test("an app stays ready while its only message waits for its next try", async () => {
  const clock = virtualClock();
  const { feature, health } = probing();
  const broker = memoryBroker();
  const app = new (App.with(feature, messaging))().enableMessaging({ broker, clock, drainMs: 0 });
  const retry = { quickTries: 1, delaysMs: [600_000], jitter: 0 };
  app.messaging.subscribe("books", { group: "search", retry }, () => {
    throw new Error("not yet");
  });
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "t", data: 1 });
  await waitFor(() => app.messaging.status()[0]?.retries === 1);
  for (let n = 0; n < 10; n++) await clock.advance(15_000);
  await waitFor(() => app.messaging.status()[0]?.lag === 1);
  await expect(health()).resolves.toMatchObject({ default: { subscriptions: 1 } });
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

test("an app is not ready after a dead letter could not be stored for a minute, and reports the reason", async () => {
  const clock = virtualClock();
  const { feature, health } = probing();
  let isRefusing = true;
  const beforeSend = async (): Promise<void> => {
    if (isRefusing) throw new Error("no permission");
  };
  const broker = fakeBroker({ beforeSend });
  const app = new (App.with(feature, messaging))().enableMessaging({ broker: broker.adapter, clock });
  app.messaging.subscribe("books", { group: "search" }, (_message, context) => context.reject("no"));
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running");
  broker.sink().deliver([fakeDelivery("1")]);
  const reason = "a message to books.search.dlq cannot be stored: no permission";
  await waitFor(() => app.messaging.status()[0]?.reason === reason);
  await expect(health()).resolves.toBeDefined();
  for (let n = 0; n < 7; n++) await clock.advance(10_000);
  await expect(health()).rejects.toThrow(`the subscription "books search": ${reason}, for `);
  isRefusing = false;
  await waitFor(async () => (await clock.advance(10_000), broker.settled.length === 1));
  await expect(health()).resolves.toBeDefined();
  await app.stop();
});
