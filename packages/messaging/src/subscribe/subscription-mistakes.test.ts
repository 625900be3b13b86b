import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const batch = { size: 10 };

/** The error of an app's start with a subscription to `orders`; `started` without one. */
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

test("a handler of single messages has no batches, whose other messages it would not see", async () => {
  expect(await failureOf("subscribe", { batch })).toContain("batch is an option of subscribeBatch");
  expect(await failureOf("subscribeBatch", { batch })).toBe("started");
});

test("a batch handler has neither the inbox nor manual acknowledgement", async () => {
  const failure = await failureOf("subscribeBatch", { batch, dedupe: "inbox", ack: "manual" });
  expect(failure).toContain('dedupe: "inbox" is an option of subscribe');
  expect(failure).toContain('ack: "manual" is an option of subscribe');
});

test("a batch is not larger than `prefetch`, with which it would never fill", async () => {
  const failure = await failureOf("subscribeBatch", { batch, prefetch: 9 });
  expect(failure).toContain("a batch would never fill; let it be at least batch.size");
  expect(await failureOf("subscribeBatch", { batch, prefetch: 10 })).toBe("started");
});

test("dead letters go to another topic than that of the subscription, which would consume them for ever", async () => {
  expect(await failureOf("subscribe", { deadLetter: "orders" })).toContain(
    "deadLetter is another topic than its own",
  );
  expect(await failureOf("subscribe", { deadLetter: "orders.failed" })).toBe("started");
});

test.each<[string, object, string]>([
  ["a misspelt option", { maxRetries: 5, gruop: "b" }, 'it has no field "gruop"; did you mean "group"?'],
  ["an authentication without identify", { auth: {} }, "auth is an authentication with `identify`"],
  [
    "a schema without types",
    { schema: {} },
    "schema is a Standard Schema, or an object with one for each type",
  ],
  ["a number as schema", { schema: 5 }, "schema is a Standard Schema"],
  ["a number as the schema of a type", { schema: { t: 5 } }, "schema is a Standard Schema"],
  ["a text as raw", { raw: "yes" }, "raw is true or false"],
  ["a number as broker", { broker: 5 }, "broker is the name of a broker"],
  ["null as rate", { rate: null }, "WorkRate needs a limit"],
  ["a number as injection", { inject: { a: 5 } }, "subscription orders a → a: a dependency is a token"],
])("%s is a start error, beside all others", async (_what, options, problem) => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  app.messaging
    .subscribe("orders", { group: "a", ...options } as never, () => {})
    .subscribe("limits", { group: "a", inject: { missing: "missing" } }, () => {});
  const failure = await app.start({ log: quiet }).catch((error: Error) => error.message);
  expect(failure).toContain(problem);
  expect(failure).toContain('no dependency is named "missing"');
});

test("a batch handler has a batch, with options that exist", async () => {
  expect(await failureOf("subscribeBatch", {})).toContain("subscribeBatch needs the size of a batch");
  for (const wrong of [null, 5, { size: 1 }])
    expect(await failureOf("subscribeBatch", { batch: wrong })).toContain("batch.size is a whole number");
  const slow = { batch: { size: 2, maxWaitMs: 5 } };
  expect(await failureOf("subscribeBatch", slow)).toContain('batch has no field "maxWaitMs"');
});

test("options, topics, middleware and brokers of other types are start errors, reported together", async () => {
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
    'subscription "first ": its options are an object, such as { group: "search" }',
    'subscription "second ": its options are an object',
    'subscription "null a": its topic has 1 to 100 letters',
    "use takes a middleware: a function of a message and next",
    "the name of a broker is text of 1 to 100 characters",
    'the broker "third" is no adapter, such as memoryBroker()',
    'the broker "fourth" is no adapter',
  ])
    expect(failure).toContain(problem);
});
