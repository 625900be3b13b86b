import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };

test("a handler gets the signal of its message if a middleware passes on a changed copy", async () => {
  const clock = virtualClock();
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker(), clock, drainMs: 0 });
  const signals: AbortSignal[] = [];
  const datas: unknown[] = [];
  app.messaging
    .use((message, next) => next({ ...message, data: "changed" }))
    .subscribe("books", { group: "search", timeoutMs: 1000 }, async ({ data, signal }) => {
      signals.push(signal);
      datas.push(data);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "t", data: "sent" });
  await waitFor(() => signals.length === 1, long);
  await clock.advance(1000);
  expect([datas[0], signals[0]?.aborted]).toEqual(["changed", true]);
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

test("with the inbox, a message that a middleware replaces by a changed copy takes effect once", async () => {
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging({ broker: memoryBroker() });
  const datas: unknown[] = [];
  app.messaging
    .use((message, next) => next({ ...message, data: "changed" }))
    .subscribe("books", { group: "search", dedupe: "inbox" }, ({ data }) => void datas.push(data));
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "t" });
  await waitFor(() => app.messaging.status()[0]?.done === 1, long);
  expect([datas, app.messaging.status()[0]?.retries]).toEqual([["changed"], 0]);
  await app.stop();
});
