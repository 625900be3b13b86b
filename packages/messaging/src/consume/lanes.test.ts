import { App } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { NOT_BEFORE } from "../envelope/own-headers.ts";
import { messaging } from "../index.ts";
import type { Delivery } from "../port/delivery.ts";
import { fakeDelivery, fakeBroker, logCapabilities } from "./fake-broker.test-kit.ts";

const quiet = { info() {}, warn() {}, error() {} };

test("losing a delayed message does not free the lane of its key", async () => {
  const broker = fakeBroker({ capabilities: logCapabilities });
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, drainMs: 0 });
  const calls: string[] = [];
  const ends: (() => void)[] = [];
  app.messaging.subscribe("books", { group: "search", order: "key" }, async ({ id }) => {
    calls.push(id);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    await promise;
  });
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", { timeoutMs: 60_000 });
  const later = { [NOT_BEFORE]: String(Date.now() + 600_000) };
  const partition = (): readonly Delivery[] => [
    fakeDelivery("delayed", { partition: "books-0", offset: "0", key: "k", headers: later }),
    fakeDelivery("first", { partition: "books-0", offset: "1", key: "k" }),
    fakeDelivery("second", { partition: "books-0", offset: "2", key: "k" }),
  ];
  broker.sink().deliver(partition());
  broker.sink().revoked(["books-0"]);
  broker.sink().deliver(partition());
  expect(calls).toEqual(["first"]); // the handler of the revoked delivery still runs
  ends.shift()?.();
  await waitFor(() => calls.length === 2, { timeoutMs: 60_000 });
  expect(calls).toEqual(["first", "first"]);
  ends.shift()?.();
  await waitFor(() => calls.length === 3, { timeoutMs: 60_000 });
  expect(calls).toEqual(["first", "first", "second"]);
  ends.shift()?.();
  await app.stop();
});

test("a subscription keeps its prefetch after the loss of a message whose key waits for a delayed try", async () => {
  const broker = fakeBroker(); // like the in-memory broker, it keeps the order of delayed tries
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, drainMs: 0 });
  const first = Promise.withResolvers<void>();
  const options = {
    group: "search",
    order: "key",
    prefetch: 10,
    retry: { quickTries: 1, delaysMs: [1000] },
  } as const;
  app.messaging.subscribe("books", options, async () => await first.promise);
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", { timeoutMs: 60_000 });
  const deliveries = ["1", "2"].map((id) => fakeDelivery(id, { key: "k" }));
  broker.sink().deliver(deliveries);
  broker.sink().lost(deliveries.slice(1));
  first.reject(new Error("broken"));
  await waitFor(() => broker.settled.length === 1, { timeoutMs: 60_000 });
  await waitFor(() => broker.sink().room(null) >= 10, { timeoutMs: 60_000 });
  expect(broker.sink().room(null)).toBe(10);
  await app.stop();
});
