import { App, type StandardSchema } from "@framework/core";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { BrokerAdapter } from "../adapter.ts";
import { memoryBroker, messaging, topic } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};
const long = { timeoutMs: 60_000 };

/** Starts a process with schemas for the given types; all processes share a group. */
const startProcess = async (
  broker: BrokerAdapter,
  clock: ReturnType<typeof virtualClock>,
  types: readonly string[],
) => {
  const app = new (App.with(messaging))().enableMessaging({ broker, clock });
  const handled: string[] = [];
  const schema = Object.fromEntries(types.map((type) => [type, anything]));
  app.messaging.subscribe("orders", { group: "shop", schema, onUnknown: "fail" }, ({ type }) => {
    handled.push(type);
  });
  await app.start({ log: quiet });
  return { app, handled };
};

test('with onUnknown: "fail", a new process handles messages of a type that is unknown to an old one', async () => {
  const clock = virtualClock();
  const broker = memoryBroker({ clock });
  const old = await startProcess(broker, clock, ["o.v1"]);
  for (let index = 0; index < 20; index++) await old.app.messaging.send("orders", { type: "o.v2" });
  const status = () => old.app.messaging.status()[0];
  await waitFor(async () => {
    await clock.advance(100); // past the quick tries
    return status()?.retries === 60;
  }, long);
  const current = await startProcess(broker, clock, ["o.v1", "o.v2"]);
  await old.app.stop();
  await waitFor(async () => {
    await clock.advance(1000);
    return current.handled.length === 20;
  }, long);
  expect([status()?.deadLettered, current.app.messaging.status()[0]?.deadLettered]).toEqual([0, 0]);
  await current.app.stop();
});

test("with schema: undefined, messages of a topic are checked against its schemas", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  const handled: string[] = [];
  const books = topic("books", { "book.created": anything });
  app.messaging.subscribe(books, { group: "shop", schema: undefined }, ({ type }) => void handled.push(type));
  await app.start({ log: quiet });
  for (const type of ["book.lost", "book.created"]) await app.messaging.send("books", { type });
  const status = () => app.messaging.status()[0];
  await waitFor(() => (status()?.done ?? 0) + (status()?.deadLettered ?? 0) === 2, long);
  expect([handled, status()?.deadLettered]).toEqual([["book.created"], 1]);
  await app.stop();
});
