import { App, type Middleware } from "@framework/core";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, type Message, messaging, type Outcome } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };

test.each<[string, (message: Message, next: (message: Message) => unknown) => unknown]>([
  ["synchronously", (message, next) => void next(message)],
  ["asynchronously", async (message, next) => void (await next(message))],
])(
  "a middleware that %s returns nothing fails the try, and the error names the remedy",
  async (_when, middleware) => {
    const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
    const reasons: unknown[] = [];
    app.messaging
      .use(middleware as Middleware<Message, Outcome>)
      .subscribe("books", { group: "search", retry: { quickTries: 1, delaysMs: [] } }, () => {})
      .subscribe("books.search.dlq", { group: "dead" }, ({ headers }) => {
        reasons.push(headers["framework-dead-message"]);
      });
    await app.start({ log: quiet });
    await app.messaging.send("books", { type: "t" });
    await waitFor(() => reasons.length > 0, { timeoutMs: 60_000 });
    expect(reasons[0]).toContain("a middleware returned no outcome; it must return the result of `next`");
    await app.stop();
  },
);

test.each([-1, Number.NaN, Infinity, 8 * 86_400_000, "5"])(
  "a retry with a delay of %p is a failed try, in a handler and in a batch verdict",
  async (delayMs) => {
    const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
    const reasons: unknown[] = [];
    const retry = { quickTries: 1, delaysMs: [] };
    const options = { delayMs: delayMs as number };
    app.messaging
      .subscribe("books", { group: "one", retry }, (_message, context) => context.retry(options))
      .subscribeBatch("books", { group: "many", retry, batch: { size: 2 } }, (messages) => {
        return new Map(messages.map(({ id }) => [id, { retry: options }]));
      });
    for (const topic of ["books.one.dlq", "books.many.dlq"])
      app.messaging.subscribe(topic, { group: "dead" }, ({ headers }) => {
        reasons.push(headers["framework-dead-message"]);
      });
    await app.start({ log: quiet });
    await app.messaging.send("books", { type: "t" });
    await waitFor(() => reasons.length === 2, { timeoutMs: 60_000 });
    const reason = "messaging: delayMs of a retry must be a number from 0 to 604800000";
    expect(reasons).toEqual([reason, reason]);
    await app.stop();
  },
);

test("a retry of a middleware without a delay has the delay of the retry policy", async () => {
  const clock = virtualClock();
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker({ clock }), clock });
  let tries = 0;
  const middleware = (): unknown => (tries++, { kind: "retry", error: new Error("not now") });
  const retry = { quickTries: 1, delaysMs: [5000], jitter: 0 };
  app.messaging
    .use(middleware as Middleware<Message, Outcome>)
    .subscribe("books", { group: "search", retry }, () => {});
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "t" });
  await waitFor(() => app.messaging.status()[0]?.retries === 1, { timeoutMs: 60_000 });
  await clock.advance(4999);
  expect(tries).toBe(1);
  await clock.advance(1);
  await waitFor(() => tries === 2, { timeoutMs: 60_000 });
  await app.stop();
});
