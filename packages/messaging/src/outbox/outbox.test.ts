import { App, type Logger } from "@framework/core";
import type { Feature, Host } from "@framework/core/feature";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { BrokerAdapter } from "../adapter.ts";
import { memoryBroker, messaging, type MessagingConfig } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const KEYS = 40;

/** Creates an in-memory broker that can be unavailable. */
const unreliableBroker = () => {
  const inner = memoryBroker();
  const state = { isUnavailable: true, refused: 0 };
  const adapter: BrokerAdapter = {
    ...inner,
    open(context) {
      const broker = inner.open(context);
      return {
        ...broker,
        producer: {
          async send(messages, options) {
            if (!state.isUnavailable) return await broker.producer.send(messages, options);
            state.refused += messages.length;
            return messages.map(() => ({
              ok: false,
              error: new Error("it is unavailable"),
              isRetryable: true,
            }));
          },
        },
      };
    },
  };
  return { adapter, state };
};

test("outbox messages wait for an unavailable broker without using up tries, and are then sent in order", async () => {
  const { adapter, state } = unreliableBroker();
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableDurable({ pollMinMs: 5, pollMaxMs: 50 })
    .enableMessaging({ broker: adapter, outbox: true });
  const got = new Map<string | null, unknown[]>();
  app.messaging.subscribe("orders", { group: "bill", order: "key" }, ({ key, data }) => {
    got.set(key, [...(got.get(key) ?? []), data]);
  });
  await app.start({ log: quiet });
  const messages = [1, 2].flatMap((data) =>
    Array.from({ length: KEYS }, (_, at) => ({ type: "t", key: `k${at}`, data })),
  );
  await app.db.transaction((tx) => app.messaging.sendAll("orders", messages, { tx }));
  await waitFor(() => state.refused >= 2 * KEYS); // every key was tried twice
  expect(got.size).toBe(0);
  state.isUnavailable = false;
  const availableSince = performance.now();
  const seen = (): unknown[] => Array.from(got.values()).flat();
  await waitFor(() => seen().length === messages.length, { timeoutMs: 60_000 });
  expect(performance.now() - availableSince).toBeLessThan(10_000); // the pause grows with the outage, not with the number of messages
  expect(Array.from(got.values())).toEqual(Array(KEYS).fill([1, 2]));
  expect(await app.durable.parked.list()).toMatchObject({ items: [] });
  await app.stop();
});

test("a send with `tx` to a broker without an outbox names the missing option", async () => {
  const { adapter } = unreliableBroker();
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging({ broker: adapter });
  await app.start({ log: quiet });
  const sent = app.db.transaction((tx) => app.messaging.send("orders", { type: "t", data: 1 }, { tx }));
  await expect(sent).rejects.toMatchObject({
    code: "MESSAGING_BAD_CONFIG",
    message:
      'messaging: `tx` needs the outbox of the broker "default": add `outbox: true` to the options that enable it',
  });
  await app.stop();
});

/** Creates an app with an outbox on an unavailable broker, and gives access to its health check. */
const waitingApp = (options: Partial<Pick<MessagingConfig, "clock">> = {}) => {
  const { adapter, state } = unreliableBroker();
  let host: Host | null = null;
  const probing: Feature = { name: "probing", install: (given) => ((host = given), {}) };
  const app = new (App.with(probing, database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableDurable({ pollMinMs: 5, pollMaxMs: 50 })
    .enableMessaging({ broker: adapter, outbox: true, ...options });
  const health = async (): Promise<unknown> => {
    const check = (host as Host | null)?.insight.healthChecks().find(({ name }) => name === "messaging");
    return await check?.run(AbortSignal.timeout(60_000));
  };
  const isHealthy = async (): Promise<boolean> => !JSON.stringify(await health()).includes("outbox");
  const sendTo = (topic: string): Promise<unknown> =>
    app.db.transaction((tx) => app.messaging.send(topic, { type: "t", data: 1 }, { tx }));
  return { app, state, health, isHealthy, sendTo };
};

test("unsent outbox messages are logged at most once a minute, and the health check reports the reason", async () => {
  const { app, state, health, isHealthy, sendTo } = waitingApp();
  const warnings: unknown[] = [];
  const log: Logger = { info() {}, warn: (text, fields) => void warnings.push([text, fields]), error() {} };
  await app.start({ log });
  await sendTo("orders");
  await waitFor(() => state.refused >= 3, { timeoutMs: 60_000 });
  expect(await health()).toMatchObject({
    default: { outbox: "messages to orders are not sent: it is unavailable" },
  });
  expect(warnings).toEqual([
    [
      "messaging: messages of the outbox are not sent",
      { topic: "orders", error: new Error("it is unavailable") },
    ],
  ]);
  state.isUnavailable = false;
  await waitFor(isHealthy, { timeoutMs: 60_000 });
  await app.stop();
});

test("topics without unsent messages are forgotten, so that other topics can be reported", async () => {
  const clock = virtualClock();
  const { app, isHealthy, sendTo } = waitingApp({ clock });
  const warnedTopics = new Set<unknown>();
  const warn: Logger["warn"] = (_text, fields) => void warnedTopics.add(Object(fields).topic);
  await app.start({ log: { info() {}, warn, error() {} } });
  for (let n = 0; n < 100; n++) await sendTo(`topic-${n}`);
  await waitFor(() => warnedTopics.size === 100, { timeoutMs: 60_000 });
  await app.db.execute`DELETE FROM framework_work`; // as if another process had sent them
  await waitFor(async () => (await clock.advance(60_000), await isHealthy()), { timeoutMs: 60_000 });
  await sendTo("orders");
  await waitFor(() => warnedTopics.has("orders"), { timeoutMs: 60_000 });
  expect(warnedTopics.size).toBe(101);
  const stopping = app.stop();
  await clock.advance(60_000);
  await stopping;
});

test.each(["audit log", "Bücher", "x".repeat(100)])(
  "a broker with any name may have an outbox: %s",
  async (name) => {
    const app = new (App.with(database, durable, messaging))()
      .enableDatabase({ url: "sqlite://:memory:" })
      .enableDurable({ pollMinMs: 5, pollMaxMs: 50 });
    app.messaging.addBroker(name, memoryBroker(), { outbox: true });
    const got: unknown[] = [];
    app.messaging.subscribe("orders", { group: "bill" }, ({ data }) => void got.push(data));
    await app.start({ log: quiet });
    await app.db.transaction((tx) => app.messaging.send("orders", { type: "t", data: 7 }, { tx }));
    await waitFor(() => got.length === 1, { timeoutMs: 60_000 });
    expect(got).toEqual([7]);
    await app.stop();
  },
);
