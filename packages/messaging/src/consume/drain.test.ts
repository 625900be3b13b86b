import { App } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, type Messaging, messaging } from "../index.ts";

const never = (): Promise<never> => new Promise(() => {});
const batch = { size: 2 };

test.each<[string, (app: Messaging, onBegin: () => void) => void]>([
  ["handler", (app, onBegin) => void app.subscribe("books", { group: "a" }, () => (onBegin(), never()))],
  [
    "batch",
    (app, onBegin) => void app.subscribeBatch("books", { group: "a", batch }, () => (onBegin(), never())),
  ],
])("a %s that ignores its signal does not delay a stop beyond `drainMs`", async (_kind, subscribe) => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker(), drainMs: 10 });
  let runs = 0;
  subscribe(app.messaging, () => void runs++);
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await app.messaging.send("books", { type: "t" });
  await waitFor(() => runs > 0, { timeoutMs: 60_000 });
  const from = performance.now();
  await app.stop({ timeoutSecs: 4 }); // a twentieth is reserved for closing
  expect(performance.now() - from).toBeLessThan(2000);
});
