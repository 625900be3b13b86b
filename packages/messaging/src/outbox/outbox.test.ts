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

/** A broker in memory that can be away: then it confirms nothing. */
const brokerThatLeaves = () => {
  const inner = memoryBroker();
  const state = { isAway: true, refused: 0 };
  const adapter: BrokerAdapter = {
    ...inner,
    open(context) {
      const broker = inner.open(context);
      return {
        ...broker,
        producer: {
          async send(messages, options) {
            if (!state.isAway) return await broker.producer.send(messages, options);
            state.refused += messages.length;
            return messages.map(() => ({ ok: false, error: new Error("it is away"), isRetryable: true }));
          },
        },
      };
    },
  };
  return { adapter, state };
};

test("messages of transactions wait while the broker is away, cost no try, and are sent in order soon after it is back", async () => {
  const { adapter, state } = brokerThatLeaves();
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
  state.isAway = false;
  const back = performance.now();
  const seen = (): unknown[] => Array.from(got.values()).flat();
  await waitFor(() => seen().length === messages.length, { timeoutMs: 60_000 });
  expect(performance.now() - back).toBeLessThan(10_000); // the pause grows with the time that it is away, not with the messages
  expect(Array.from(got.values())).toEqual(Array(KEYS).fill([1, 2]));
  expect(await app.durable.parked.list()).toMatchObject({ items: [] });
  await app.stop();
});

test("a send with `tx` to a broker without an outbox says which option is missing, whatever enables the broker", async () => {
  const { adapter } = brokerThatLeaves();
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

/** An app with an outbox on a broker that is away, with its health check. */
const appThatWaits = (options: Partial<Pick<MessagingConfig, "clock">> = {}) => {
  const { adapter, state } = brokerThatLeaves();
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
  const isWell = async (): Promise<boolean> => !JSON.stringify(await health()).includes("outbox");
  const sendTo = (topic: string): Promise<unknown> =>
    app.db.transaction((tx) => app.messaging.send(topic, { type: "t", data: 1 }, { tx }));
  return { app, state, health, isWell, sendTo };
};

test("messages of transactions that the broker does not take are logged once a minute, and their reason is in the health", async () => {
  const { app, state, health, isWell, sendTo } = appThatWaits();
  const warnings: unknown[] = [];
  const log: Logger = { info() {}, warn: (text, fields) => void warnings.push([text, fields]), error() {} };
  await app.start({ log });
  await sendTo("orders");
  await waitFor(() => state.refused >= 3, { timeoutMs: 60_000 });
  expect(await health()).toMatchObject({
    default: { outbox: "messages to orders are not sent: it is away" },
  });
  expect(warnings).toEqual([
    ["messaging: messages of the outbox are not sent", { topic: "orders", error: new Error("it is away") }],
  ]);
  state.isAway = false;
  await waitFor(isWell, { timeoutMs: 60_000 });
  await app.stop();
});

test("topics whose messages are gone leave the health, and room for the reasons of others", async () => {
  const clock = virtualClock();
  const { app, isWell, sendTo } = appThatWaits({ clock });
  const warned = new Set<unknown>();
  const warn: Logger["warn"] = (_text, fields) => void warned.add(Object(fields).topic);
  await app.start({ log: { info() {}, warn, error() {} } });
  for (let n = 0; n < 100; n++) await sendTo(`topic-${n}`);
  await waitFor(() => warned.size === 100, { timeoutMs: 60_000 });
  await app.db.execute`DELETE FROM framework_work`; // as when another process has sent them
  await waitFor(async () => (await clock.advance(60_000), await isWell()), { timeoutMs: 60_000 });
  await sendTo("orders");
  await waitFor(() => warned.has("orders"), { timeoutMs: 60_000 });
  expect(warned.size).toBe(101);
  const stopping = app.stop();
  await clock.advance(60_000);
  await stopping;
});
