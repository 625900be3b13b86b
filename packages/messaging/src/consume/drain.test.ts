import { App } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type BrokerAdapter, memoryBroker, type Messaging, messaging } from "../index.ts";

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

test("a broker that does not respond while its topics are checked does not delay a stop", async () => {
  const inner = memoryBroker();
  const checked = Promise.withResolvers<void>();
  const broker: BrokerAdapter = {
    ...inner,
    open: (context) => ({ ...inner.open(context), topology: () => (checked.resolve(), never()) }),
  };
  const app = new (App.with(messaging))().enableMessaging({ broker });
  app.messaging.subscribe("books", { group: "a" }, () => {});
  const errors: string[] = [];
  await app.start({ log: { info() {}, warn() {}, error: (message) => void errors.push(message) } });
  await checked.promise;
  await app.stop({ timeoutSecs: 4 });
  expect(errors).toEqual([]);
});

test("a stop waits for running handlers, even if the consumer of another subscription fails to close", async () => {
  const inner = memoryBroker();
  const events: string[] = [];
  const failed = Promise.withResolvers<void>();
  const broker: BrokerAdapter = {
    ...inner,
    open(context) {
      const opened = inner.open(context);
      return {
        ...opened,
        consumer(options) {
          const consumer = opened.consumer(options);
          if (options.topics[0] !== "failing") return consumer;
          const close = (): Promise<never> => (failed.resolve(), Promise.reject(new Error("unavailable")));
          return Object.assign(consumer, { close });
        },
        close: async () => void events.push("closed"),
      };
    },
  };
  const app = new (App.with(messaging))().enableMessaging({ broker });
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.messaging.subscribe("failing", { group: "a" }, () => {});
  app.messaging.subscribe("books", { group: "a" }, async () => {
    begun.resolve();
    await end.promise;
    events.push("handled");
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await app.messaging.send("books", { type: "t" });
  await begun.promise;
  const stopping = app.stop();
  await failed.promise;
  setImmediate(end.resolve); // after the failure has been propagated
  await stopping;
  expect(events).toEqual(["handled", "closed"]);
});
