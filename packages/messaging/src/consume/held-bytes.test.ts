import { App } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { newHeaders } from "../envelope/event.ts";
import { messaging } from "../index.ts";
import { MAX_HELD_BYTES } from "../limits.ts";
import type { Delivery } from "../port/delivery.ts";
import { fakeDelivery, fakeBroker } from "./fake-broker.test-kit.ts";

const longest = "x".repeat(MAX_HELD_BYTES);

test.each<[string, Partial<Delivery>]>([
  ["body", { body: longest }],
  ["key", { key: longest }],
  ["headers", { headers: Object.assign(newHeaders(), { a: longest.slice(1) }) }],
  ["original", { original: { bytes: MAX_HELD_BYTES } }],
])("a subscription has no room while it holds deliveries of 64 MiB: %s", async (_case, members) => {
  const broker = fakeBroker();
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, drainMs: 0 });
  app.messaging.subscribe("books", { group: "search", prefetch: 100 }, () => {});
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await waitFor(() => app.messaging.status()[0]?.state === "running", { timeoutMs: 60_000 });
  const sink = broker.sink();
  const delivery = fakeDelivery("1", { headers: newHeaders(), body: "", ...members });
  const before = sink.room(null);
  sink.deliver([delivery]);
  const held = sink.room(null);
  sink.lost([delivery]);
  expect([before, held, sink.room(null)]).toEqual([100, 0, 100]);
  await app.stop();
});
