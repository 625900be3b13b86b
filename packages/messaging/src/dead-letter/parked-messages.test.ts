import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, jest, test } from "@jest/globals";
import { fakeDelivery, fakeBroker } from "../consume/fake-broker.test-kit.ts";
import { newHeaders } from "../envelope/event.ts";
import { type Message, messaging, type SubscriptionOptions } from "../index.ts";
import type { BrokerAdapter } from "../port/broker-adapter.ts";
import type { Delivery } from "../port/delivery.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };

/** Starts an app with a database and another broker, whose handler rejects every message. */
const startRejecting = async (
  deadLetter?: string,
  more: SubscriptionOptions = {},
  onMessage: (message: Message) => void = () => {},
) => {
  const broker = fakeBroker();
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging({ broker: broker.adapter });
  const options = { group: "search", ...(deadLetter !== undefined && { deadLetter }), ...more };
  app.messaging.subscribe("books", options, (message, context) => {
    onMessage(message);
    context.reject("no such book");
  });
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", long);
  return { app, broker };
};

test("dead letters of a broker other than the database are sent to a topic by default", async () => {
  const { app, broker } = await startRejecting();
  broker.sink().deliver([fakeDelivery("1")]);
  await waitFor(() => broker.settled.length === 1, long);
  expect(broker.sent.map(({ topic }) => topic)).toEqual(["books.search.dlq"]);
  await app.stop();
});

test.each([
  ["NUL, like integers of Java clients of Kafka", "\0\0\0\u0005"],
  ["a lone surrogate", "a\uD800"],
  ["10,000 characters", "x".repeat(10_000)],
])("a dead letter whose key has %s is parked, and replayed with its key", async (_case, key) => {
  const { app, broker } = await startRejecting("parked");
  broker.sink().deliver([fakeDelivery("1", { key })]);
  const { parked } = app.durable;
  await waitFor(async () => (await parked.list()).items.length === 1, long);
  await waitFor(() => broker.settled.length === 1, long);
  const { items } = await parked.list();
  expect(items[0]?.key?.length).toBeLessThanOrEqual(512);
  await parked.replay({ source: "message" });
  expect(broker.sent.map((message) => message.key)).toEqual([key]);
  await app.stop();
});

test("a parked body of bytes is replayed with its byte order mark", async () => {
  const { app, broker } = await startRejecting("parked");
  const body = new Uint8Array([0xef, 0xbb, 0xbf, 0x61]);
  const attributes = { ce_specversion: "1.0", ce_id: "1", ce_type: "t", ce_source: "/test" };
  broker
    .sink()
    .deliver([fakeDelivery("1", { body, headers: { "content-type": "text/csv", ...attributes } })]);
  await waitFor(() => broker.settled.length === 1, long);
  await app.durable.parked.replay({ source: "message" });
  expect(Buffer.from(broker.sent[0]?.body ?? "")).toEqual(Buffer.from(body));
  await app.stop();
});

test("a replay before the start is not repeated when its broker fails to close", async () => {
  await using storage = databaseInFile();
  const serving = fakeBroker();
  const broker = fakeBroker({ capabilities: { isInProcess: false } });
  const open: BrokerAdapter["open"] = (context) => ({
    ...broker.adapter.open(context),
    close: () => Promise.reject(new Error("the connection broke")),
  });
  const appOn = (adapter: BrokerAdapter) => {
    const app = new (App.with(database, durable, messaging))()
      .enableDatabase({ url: storage.url })
      .enableMessaging({ broker: adapter });
    app.messaging.subscribe("books", { group: "search", deadLetter: "parked" }, (_message, context) =>
      context.reject("no such book"),
    );
    return app;
  };
  const app = appOn(serving.adapter);
  await app.start({ log: quiet });
  serving.sink().deliver([fakeDelivery("1")]);
  await waitFor(async () => (await app.durable.parked.list()).items.length === 1, long);
  await waitFor(() => serving.settled.length === 1, long);
  await app.stop();
  const tool = appOn({ ...broker.adapter, open });
  const warnings: unknown[] = [];
  const emitWarning = jest
    .spyOn(process, "emitWarning")
    .mockImplementation((text) => void warnings.push(text));
  for (const replayed of [1, 0])
    expect(await tool.durable.parked.replay({ source: "message" })).toMatchObject({ replayed, failed: [] });
  emitWarning.mockRestore();
  expect(broker.sent).toHaveLength(1);
  expect(warnings).toEqual(['messaging: the broker "default" did not close after a send']);
  await tool.stop();
});

test("a replayed raw message has the id that it had at the broker", async () => {
  const ids: string[] = [];
  const { app, broker } = await startRejecting("parked", { raw: true }, ({ id }) => void ids.push(id));
  const headers = Object.assign(newHeaders(), { "content-type": "application/json" });
  const deliver = (id: string, members: Partial<Delivery>): void =>
    broker.sink().deliver([{ ...fakeDelivery("1", { id, body: "{}" }), headers, ...members }]);
  deliver("broker-1", {});
  await waitFor(() => broker.settled.length === 1, long);
  await app.durable.parked.replay({ source: "message" });
  deliver("broker-2", { headers: broker.sent[0]?.headers ?? {} });
  await waitFor(() => broker.settled.length === 2, long);
  expect(ids).toEqual(["broker-1", "broker-1"]);
  await app.stop();
});
