import { App } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { newHeaders } from "../envelope/event.ts";
import { NOT_BEFORE, TRIES } from "../envelope/own-headers.ts";
import { messaging, type SubscriptionOptions } from "../index.ts";
import type { Delivery } from "../port/delivery.ts";
import { fakeDelivery, fakeBroker, logCapabilities } from "./fake-broker.test-kit.ts";

const quiet = { info() {}, warn() {}, error() {} };

interface RetryOptions extends Pick<SubscriptionOptions, "order" | "retry"> {
  readonly topic?: string | RegExp;
}

/** Starts a subscription to a log whose handler calls `retry` once. */
const startRetryingOnce = async (delayMs: number, { topic = "books", ...options }: RetryOptions) => {
  const clock = virtualClock();
  const broker = fakeBroker({ capabilities: { ...logCapabilities, patterns: true } });
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, clock, drainMs: 0 });
  let tries = 0;
  app.messaging.subscribe(topic, { group: "search", ...options }, (_message, context) => {
    if (++tries === 1) context.retry({ delayMs });
  });
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", { timeoutMs: 60_000 });
  broker.sink().deliver([fakeDelivery("1", { partition: "books-0", offset: "0" })]);
  const stop = async (): Promise<void> => {
    const stopping = app.stop();
    await clock.advance(1);
    await stopping;
  };
  return { clock, sent: broker.sent, tries: () => tries, [Symbol.asyncDispose]: stop };
};

const retry = { quickTries: 1, delaysMs: [5000, 30_000, 600_000], jitter: 0.5 };

test("a retry with a chosen delay is sent to the retry topic with the nearest shorter delay", async () => {
  await using one = await startRetryingOnce(120_000, { retry });
  await waitFor(() => one.sent.length === 1, { timeoutMs: 60_000 });
  expect(one.sent[0]?.topic).toBe("books.search.retry.1");
  expect(Number(one.sent[0]?.headers[NOT_BEFORE])).toBe(one.clock.date() + 120_000);
});

test("the delay of a retry may have a fraction", async () => {
  await using one = await startRetryingOnce(5000.25, { retry });
  await waitFor(() => one.sent.length === 1, { timeoutMs: 60_000 });
  expect(one.sent[0]?.headers[NOT_BEFORE]).toBe(String(Math.ceil(one.clock.date() + 5000.25)));
});

test("a retry with a long delay ends the quick tries", async () => {
  await using one = await startRetryingOnce(2000, { retry: { ...retry, quickTries: 3 } });
  await waitFor(() => one.sent.length === 1, { timeoutMs: 60_000 });
  expect(one.sent[0]?.topic).toBe("books.search.retry.0");
});

test("a try due in days is sent again to its retry topic after twice the topic's delay, so that it does not block tries with shorter delays", async () => {
  const clock = virtualClock();
  const broker = fakeBroker({ capabilities: logCapabilities });
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, clock, drainMs: 0 });
  let tries = 0;
  app.messaging.subscribe("books", { group: "search", retry }, () => void tries++);
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", { timeoutMs: 60_000 });
  const place = { topic: "books.search.retry.2", partition: "books.search.retry.2-0" };
  const notBefore = clock.date() + 2 * 86_400_000;
  const headers = Object.assign(newHeaders(), { [NOT_BEFORE]: String(notBefore), [TRIES]: "2" });
  broker.sink().deliver([fakeDelivery("1", { ...place, offset: "0", headers })]);
  broker.sink().deliver([
    fakeDelivery("2", {
      ...place,
      offset: "1",
      headers: { ...headers, [NOT_BEFORE]: String(clock.date() + 900_000) },
    }),
  ]);
  await clock.advance(1_200_000);
  const isCommitted = async (): Promise<boolean> => {
    await clock.advance(200);
    return tries === 1 && broker.settled.length > 0;
  };
  await waitFor(isCommitted, { timeoutMs: 60_000 });
  expect(broker.sent).toMatchObject([
    { topic: place.topic, headers: { [NOT_BEFORE]: String(notBefore), [TRIES]: "2" } },
  ]);
  expect(broker.settled.at(-1)?.delivery.offset).toBe("1");
  await app.stop();
});

test.each<[string, RetryOptions]>([
  ["a message without a key in an ordered group", { order: "key", retry }],
  ["a message of a pattern subscription", { topic: /^books$/, retry }],
])("%s is held until its delayed try, without retry topics", async (_case, retryOptions) => {
  await using one = await startRetryingOnce(5000, retryOptions);
  await one.clock.advance(5000);
  await waitFor(() => one.tries() === 2, { timeoutMs: 60_000 });
  expect(one.sent).toEqual([]);
});

test("a raw message without an id has the same new id in all its tries", async () => {
  const clock = virtualClock();
  const broker = fakeBroker();
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, clock, drainMs: 0 });
  const ids: string[] = [];
  app.messaging.subscribe("books", { group: "search", raw: true }, ({ id }, context) => {
    if (ids.push(id) === 1) context.retry({ delayMs: 0 });
  });
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", { timeoutMs: 60_000 });
  const headers = Object.assign(newHeaders(), { "content-type": "application/json" });
  broker.sink().deliver([{ ...fakeDelivery("1", { body: "{}" }), headers }]);
  const areTried = async (): Promise<boolean> => {
    await clock.advance(100);
    return ids.length === 2;
  };
  await waitFor(areTried, { timeoutMs: 60_000 });
  expect(ids[0]).not.toBe("");
  expect(ids[1]).toBe(ids[0]);
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

test("a try with jitter is delayed by at most 7 days, so that the message can wait at the broker", async () => {
  const broker = fakeBroker();
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, drainMs: 0 });
  const days = 7 * 86_400_000;
  const options = { group: "search", retry: { quickTries: 1, delaysMs: [days], jitter: 1 } };
  app.messaging.subscribe("books", options, () => {
    throw new Error("broken");
  });
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", { timeoutMs: 60_000 });
  broker.sink().deliver([fakeDelivery("1")]);
  await waitFor(() => app.messaging.status()[0]?.retries === 1, { timeoutMs: 60_000 });
  await app.stop();
  expect(broker.settled).toMatchObject([{ action: "retry", delayMs: days }]);
});

test("a raw message has its id and its type in all its tries, also in a retry topic", async () => {
  const broker = fakeBroker({ capabilities: logCapabilities });
  const app = new (App.with(messaging))().enableMessaging({ broker: broker.adapter, drainMs: 0 });
  const seen: string[] = [];
  const options = { group: "search", raw: true, retry };
  app.messaging.subscribe("books", options, ({ id, type, source, headers }) => {
    seen.push(`${id} ${type} ${source} ${Object.keys(headers).length}`);
    throw new Error("broken");
  });
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", { timeoutMs: 60_000 });
  const deliver = (topic: string, members: Partial<Delivery>): void => {
    const headers = Object.assign(newHeaders(), { "content-type": "application/json" });
    const place = { topic, partition: `${topic}-0`, offset: "5", id: `${topic}-0/5/1700000000000` };
    broker.sink().deliver([{ ...fakeDelivery("1", { body: "{}", ...place }), headers, ...members }]);
  };
  deliver("books", {});
  await waitFor(() => broker.sent.length === 1, { timeoutMs: 60_000 });
  const { topic = "", headers = {} } = broker.sent[0] ?? {};
  deliver(topic, { headers: { ...headers, [NOT_BEFORE]: "0" } });
  await waitFor(() => broker.sent.length === 2, { timeoutMs: 60_000 });
  expect(topic).toBe("books.search.retry.0");
  expect(seen).toEqual(Array.from({ length: 2 }, () => "books-0/5/1700000000000 books books 0"));
  await app.stop();
});
