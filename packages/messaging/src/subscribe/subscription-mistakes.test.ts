import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const batch = { size: 10 };

/** Starts an app with a subscription to `orders` and returns the error message, or `started`. */
const failureOf = async (method: "subscribe" | "subscribeBatch", options: object): Promise<string> => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  const { messaging: own } = app;
  const all = { group: "a", ...options } as never;
  if (method === "subscribe") own.subscribe("orders", all, () => {});
  else own.subscribeBatch("orders", all, () => new Map());
  const failure = await app.start({ log: quiet }).then(
    () => "started",
    (error: Error) => error.message,
  );
  await app.stop();
  return failure;
};

test("batch is a start error of subscribe", async () => {
  expect(await failureOf("subscribe", { batch })).toContain("batch is an option of subscribeBatch");
  expect(await failureOf("subscribeBatch", { batch })).toBe("started");
});

test('dedupe: "inbox" and ack: "manual" are start errors of subscribeBatch', async () => {
  const failure = await failureOf("subscribeBatch", { batch, dedupe: "inbox", ack: "manual" });
  expect(failure).toContain('dedupe: "inbox" is an option of subscribe');
  expect(failure).toContain('ack: "manual" is an option of subscribe');
});

test("a batch larger than `prefetch` is a start error", async () => {
  const failure = await failureOf("subscribeBatch", { batch, prefetch: 9 });
  expect(failure).toContain("a batch would never fill; prefetch must be at least batch.size");
  expect(await failureOf("subscribeBatch", { batch, prefetch: 10 })).toBe("started");
});

test("a topic that is neither a name nor a pattern is one start error", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  app.messaging.subscribe(null as never, { group: "a" }, () => {});
  await expect(app.start({ log: quiet })).rejects.toThrow(
    /^MESSAGING_BAD_CONFIG: messaging: subscription "null a": its topic must have 1 to 100 .*, or be a regular expression$/,
  );
});

test("a dead-letter topic that is the subscription's topic is a start error", async () => {
  expect(await failureOf("subscribe", { deadLetter: "orders" })).toContain(
    "deadLetter must not be its own topic",
  );
  expect(await failureOf("subscribe", { deadLetter: "orders.failed" })).toBe("started");
});

test.each<[string, object, string]>([
  ["a misspelt option", { maxRetries: 5, gruop: "b" }, 'it has no field "gruop"; did you mean "group"?'],
  ["an authenticator without identify", { auth: {} }, "auth must be an authenticator with `identify`"],
  [
    "a schema without types",
    { schema: {} },
    "schema must be a Standard Schema, or an object with one for each type",
  ],
  ["a number as schema", { schema: 5 }, "schema must be a Standard Schema"],
  ["a number as the schema of a type", { schema: { t: 5 } }, "schema must be a Standard Schema"],
  ["a string as raw", { raw: "yes" }, "raw must be true or false"],
  ["a number as broker", { broker: 5 }, "broker must be the name of a broker"],
  ["a hole in the delays", { retry: { delaysMs: Array(1) } }, "delays of 1 ms"],
  ["a hole in the guards", { guards: Array(1) }, "guards must be a list of functions"],
  ["null as rate", { rate: null }, "WorkRate needs a limit"],
  ["a number as injection", { inject: { a: 5 } }, "subscription orders a → a: a dependency must be a token"],
])("%s is a start error, reported with all others", async (_case, options, problem) => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  app.messaging
    .subscribe("orders", { group: "a", ...options } as never, () => {})
    .subscribe("limits", { group: "a", inject: { missing: "missing" } }, () => {});
  const failure = await app.start({ log: quiet }).catch((error: Error) => error.message);
  expect(failure).toContain(problem);
  expect(failure).toContain('no dependency is named "missing"');
});

test("an invalid clock of an app with the in-memory broker is a start error with the name of the option", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: "memory", clock: 5 as never });
  await expect(app.start({ log: quiet })).rejects.toThrow("MessagingConfig.clock must be a Clock");
});

test("a hole in the list of topics is a start error", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker(), topics: Array(1) });
  await expect(app.start({ log: quiet })).rejects.toThrow("MessagingConfig.topics must be a list of topics");
});

test("subscribeBatch requires a valid batch", async () => {
  expect(await failureOf("subscribeBatch", {})).toContain("subscribeBatch requires a batch size");
  for (const wrong of [null, 5, { size: 1 }])
    expect(await failureOf("subscribeBatch", { batch: wrong })).toContain(
      "batch.size must be a whole number",
    );
  const slow = { batch: { size: 2, maxWaitMs: 5 } };
  expect(await failureOf("subscribeBatch", slow)).toContain('batch has no field "maxWaitMs"');
});

test("options, topics, middleware and brokers of the wrong type are start errors, reported together", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  const own = app.messaging;
  own.subscribe("first", undefined as never, () => {});
  own.subscribe("second", (() => {}) as never, undefined as never);
  own.subscribe(null as never, { group: "a" }, () => {});
  own.use(5 as never);
  own
    .addBroker("", memoryBroker())
    .addBroker("third", {} as never)
    .addBroker("fourth", null as never);
  const failure = await app.start({ log: quiet }).catch((error: Error) => error.message);
  for (const problem of [
    'subscription "first ": its options must be an object, such as { group: "search" }',
    'subscription "second ": its options must be an object',
    'subscription "null a": its topic must have 1 to 100 letters',
    "the middleware of use must be a function (message, next) => outcome",
    "the name of a broker must be a string of 1 to 100 characters",
    'the broker "third" must be an adapter, such as memoryBroker()',
    'the broker "fourth" must be an adapter',
  ])
    expect(failure).toContain(problem);
});

test.each([0, 1])(
  "a subscription with another mistake is also reported as a duplicate: %d",
  async (invalid) => {
    const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
    for (const at of [0, 1])
      app.messaging.subscribe("orders", { group: "a", ...(at === invalid && { concurrency: 0 }) }, () => {});
    const failure = app.start({ log: quiet });
    await expect(failure).rejects.toThrow("concurrency must be a whole number");
    await expect(failure).rejects.toThrow('there are two subscriptions "orders a"');
    await app.stop();
  },
);
