import { App, type StandardSchema } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { Broker, BrokerAdapter, Producer, Sink } from "../adapter.ts";
import { memoryBroker, messaging, type MessagingConfig } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };

const appOn = (broker: BrokerAdapter, config: Pick<ConfigInput<MessagingConfig>, "clock"> = {}) =>
  new (App.with(messaging))().enableMessaging({ broker, ...config });

/** Starts an app whose replies to `prices` the test resolves. */
const appWithPrices = async (...on: Parameters<typeof appOn>) => {
  const app = appOn(...on);
  const requests: PromiseWithResolvers<unknown>[] = [];
  app.messaging.subscribe("prices", { group: "shop" }, async () => {
    const reply = Promise.withResolvers<unknown>();
    requests.push(reply);
    return await reply.promise;
  });
  await app.start({ log: quiet });
  return { app, requests };
};

/** Creates an in-memory broker with another `send`. */
const brokerWithSend = (send: Producer["send"]): BrokerAdapter => {
  const inner = memoryBroker();
  return { ...inner, open: (context) => ({ ...inner.open(context), producer: { send } }) };
};

/** Wraps a broker to record the topics of closed consumers. */
const recordingBroker = (inner: BrokerAdapter, closed: string[]): BrokerAdapter => ({
  ...inner,
  open(context) {
    const broker = inner.open(context);
    const consumer: Broker["consumer"] = (options) => {
      const original = broker.consumer(options);
      const close = original.close.bind(original);
      return Object.assign(original, {
        close: () => close().then(() => void closed.push(...options.topics)),
      });
    };
    return { ...broker, consumer };
  },
});

test("a request that is pending when the service stops receives its reply", async () => {
  const broker = memoryBroker();
  const other = await appWithPrices(broker);
  const closed: string[] = [];
  const app = appOn(recordingBroker(broker, closed));
  app.messaging.subscribe("orders", { group: "shop" }, () => {});
  app.get("/price", async () => await app.messaging.request("prices", { type: "t" }, long));
  await app.start({ log: quiet });
  const reply = app.fetch(new Request("http://localhost/price"));
  await waitFor(() => other.requests.length === 1, long);
  const stopping = app.stop();
  await waitFor(() => closed.includes("orders"), long); // then all subscriptions have ended
  other.requests[0]?.resolve({ price: 7 });
  expect((await reply).status).toBe(200);
  await stopping;
  expect(closed).toEqual(["orders", expect.stringContaining("replies.")]);
  await other.app.stop();
});

test("a request after the stop fails", async () => {
  const app = appOn(memoryBroker());
  await app.start({ log: quiet });
  await app.stop();
  await expect(app.messaging.request("prices", { type: "t" }, long)).rejects.toMatchObject({
    code: "MESSAGING_SEND_FAILED",
  });
});

test("a broker is closed even if the consumer of its replies fails to close", async () => {
  const inner = memoryBroker();
  let closed = 0;
  const app = appOn({
    ...inner,
    open(context) {
      const broker = inner.open(context);
      const consumer: Broker["consumer"] = (options) =>
        Object.assign(broker.consumer(options), { close: () => Promise.reject(new Error("unavailable")) });
      return { ...broker, consumer, close: async () => void closed++ };
    },
  });
  await app.start({ log: quiet });
  await expect(app.messaging.request("prices", { type: "t" }, { timeoutMs: 1 })).rejects.toMatchObject({
    code: "MESSAGING_NO_REPLY",
  });
  await app.stop().catch(() => {});
  expect(closed).toBe(1);
});

const rejectAll: StandardSchema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: () => ({ issues: [{ message: "is missing", path: ["secret_price"] }] }),
  },
};

test("a reply that does not fit its schema is a failure of the replying service", async () => {
  const { app, requests } = await appWithPrices(memoryBroker());
  const reply = app.messaging.request("prices", { type: "t" }, { ...long, schema: rejectAll });
  await waitFor(() => requests.length === 1, long);
  requests[0]?.resolve({ price: 7 });
  const failure: Error = (await reply.catch((error: Error) => error)) as Error;
  expect(failure).toMatchObject({ status: 502, code: "MESSAGING_REQUEST_FAILED" });
  expect(String(failure.cause)).toContain("the reply does not fit its schema: secret_price");
  await app.stop();
});

test("timeoutMs also limits the send of a request", async () => {
  const sent = Promise.withResolvers<never>();
  const clock = virtualClock();
  const app = appOn(
    brokerWithSend(() => sent.promise),
    { clock },
  );
  await app.start({ log: quiet });
  const reply = app.messaging.request("prices", { type: "t" }, { timeoutMs: 100 });
  await clock.advance(100);
  await expect(reply).rejects.toMatchObject({ code: "MESSAGING_NO_REPLY" });
  sent.reject(new Error("late"));
  await app.stop();
});

test("two concurrent requests with the same id both receive their reply", async () => {
  const { app, requests } = await appWithPrices(memoryBroker());
  const request = (timeoutMs: number) =>
    app.messaging.request("prices", { type: "t", id: "7" }, { timeoutMs });
  const replies = [request(60_000), request(60_000)];
  await waitFor(() => requests.length === 2, long);
  for (const each of requests) each.resolve({ price: 7 });
  expect(await Promise.all(replies)).toEqual([{ price: 7 }, { price: 7 }]);
  await app.stop();
});

test("a request that times out does not affect another one with the same id", async () => {
  const clock = virtualClock();
  const { app, requests } = await appWithPrices(memoryBroker(), { clock });
  const request = (timeoutMs: number) =>
    app.messaging.request("prices", { type: "t", id: "7" }, { timeoutMs });
  const [first, second] = [request(50), request(60_000)];
  await waitFor(() => requests.length === 2, long);
  await clock.advance(50);
  await expect(first).rejects.toMatchObject({ code: "MESSAGING_NO_REPLY" });
  for (const each of requests) each.resolve({ price: 7 });
  expect(await second).toEqual({ price: 7 });
  await app.stop();
});

test.each([0, 0.5, -1, Number.NaN, 3_600_001, "5"])(
  "a request with a timeout of %p is rejected",
  async (timeoutMs) => {
    const { app } = await appWithPrices(memoryBroker());
    const request = app.messaging.request("prices", { type: "t" }, { timeoutMs: timeoutMs as number });
    await expect(request).rejects.toThrow("timeoutMs must be a number from 1 to 3600000");
    await app.stop();
  },
);

test("a request with the longest type receives its reply", async () => {
  const { app, requests } = await appWithPrices(memoryBroker());
  const reply = app.messaging.request("prices", { type: "t".repeat(512) }, long);
  await waitFor(() => requests.length === 1, long);
  requests[0]?.resolve({ price: 7 });
  expect(await reply).toEqual({ price: 7 });
  await app.stop();
});

test("a request waits while the consumer of replies reconnects: its reply would be lost", async () => {
  const inner = memoryBroker();
  const sinks: Sink[] = [];
  const open: BrokerAdapter["open"] = (context) => {
    const broker = inner.open(context);
    const consumer: Broker["consumer"] = (options) => {
      if (options.isPrivate) sinks.push(options.sink);
      return broker.consumer(options);
    };
    return { ...broker, consumer };
  };
  const { app, requests } = await appWithPrices({ ...inner, open });
  const request = () => app.messaging.request("prices", { type: "t" }, long);
  const first = request();
  await waitFor(() => requests.length === 1, long);
  requests[0]?.resolve({ price: 1 });
  await first;
  sinks[0]?.state("connecting", "the connection was lost");
  const second = request();
  await app.messaging.send("prices", { type: "t" });
  await waitFor(() => requests.length === 2, long); // the message that was sent after the request
  requests[1]?.resolve(null);
  await waitFor(() => app.messaging.status()[0]?.done === 2, long);
  expect(requests).toHaveLength(2);
  sinks[0]?.state("running");
  await waitFor(() => requests.length === 3, long);
  requests[2]?.resolve({ price: 2 });
  expect(await second).toEqual({ price: 2 });
  await app.stop();
});
