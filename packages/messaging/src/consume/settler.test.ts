import { App } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { messaging } from "../index.ts";
import { fakeDelivery, fakeBroker } from "./fake-broker.test-kit.ts";

test("a delayed try that the broker cannot store does not block acknowledgements", async () => {
  const { promise: stored, resolve: store } = Promise.withResolvers<void>();
  const broker = fakeBroker({
    capabilities: { maxRetryDelayMs: 60_000 },
    consumer: {
      async settle(settlements) {
        if (settlements.some(({ action }) => action === "retry")) await stored;
        return [];
      },
    },
  });
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter });
  const retry = { quickTries: 1, delaysMs: [5000] };
  app.messaging.subscribe("books", { group: "search", retry }, ({ data }) => {
    if (data === "broken") throw new Error("broken");
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await waitFor(() => app.messaging.status()[0]?.state === "running", { timeoutMs: 60_000 });
  const sink = broker.sink();
  const [broken, first, second] = ["broken", "first", "second"].map((id) => fakeDelivery(id));
  if (broken === undefined || first === undefined || second === undefined) throw new Error("no delivery");
  sink.deliver([broken]);
  sink.deliver([first]);
  await waitFor(() => !sink.isAlive(first), { timeoutMs: 60_000 });
  sink.deliver([second]);
  await waitFor(() => !sink.isAlive(second), { timeoutMs: 60_000 });
  expect(sink.isAlive(broken)).toBe(true);
  store();
  await waitFor(() => !sink.isAlive(broken), { timeoutMs: 60_000 });
  await app.stop();
});
