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

test("dead letters go to another topic than that of the subscription, which would consume them for ever", async () => {
  expect(await failureOf("subscribe", { deadLetter: "orders" })).toContain(
    "deadLetter is another topic than its own",
  );
  expect(await failureOf("subscribe", { deadLetter: "orders.failed" })).toBe("started");
});
