import type { OutgoingMessage, SendResult } from "@framework/messaging/adapter";
import { expect, test } from "@jest/globals";
import type { Batch } from "./batch.ts";
import { TopicLane } from "./topic-lane.ts";

const tooLarge = Object.assign(new Error("the message is too large"), {
  name: "KafkaJSProtocolError",
  type: "MESSAGE_TOO_LARGE",
});

/**
 * Sends messages, written as `call key body`, in one batch to a broker that refuses batches with the body "large".
 * A message "timeout" aborts the signal of all messages.
 */
const sendAll = async (
  texts: readonly string[],
): Promise<{ results: readonly SendResult[]; stored: readonly string[] }> => {
  const stored: string[] = [];
  const limit = new AbortController();
  const send = async (_topic: string, { records }: Batch) => {
    const bodies = records.map(({ value }) => String(value));
    if (bodies.includes("large")) throw tooLarge;
    stored.push(...bodies);
    if (bodies.includes("timeout")) limit.abort(new Error("the time limit"));
    return [];
  };
  const lane = new TopicLane({
    topic: "orders",
    maxBatchBytes: 1_000_000,
    send,
    onAbandoned: () => {},
    onIdle: () => {},
  });
  const calls = new Map<string, object>();
  const pending = texts.map((text) => {
    const [name = "", key = "", body = ""] = text.split(" ");
    const call = calls.get(name) ?? {};
    calls.set(name, call);
    const message: OutgoingMessage = {
      id: text,
      topic: "orders",
      key: key === "-" ? null : key,
      headers: {},
      body,
      delayMs: 0,
    };
    const { promise, resolve } = Promise.withResolvers<SendResult>();
    return { promise, waiting: { message, bytes: 100, call, signal: limit.signal, settle: resolve } };
  });
  lane.add(pending.map(({ waiting }) => waiting));
  return { results: await Promise.all(pending.map(({ promise }) => promise)), stored };
};

test("after a refused message, no later message of the same call and key is stored, but messages of other keys and calls are", async () => {
  const { results, stored } = await sendAll([
    "a k1 first",
    "a k1 large",
    "a k1 later",
    "a k2 other-key",
    "b k1 other-call",
    "a - without-key",
    "a k1 last",
  ]);
  expect(stored).toEqual(["first", "other-key", "other-call", "without-key"]);
  expect(results.map((result) => (result.ok ? "stored" : result.isRetryable ? "retry" : "refused"))).toEqual([
    "stored",
    "refused",
    "retry",
    "stored",
    "stored",
    "stored",
    "retry",
  ]);
});

test("messages that are sent individually are not sent after their time limit", async () => {
  const { results, stored } = await sendAll(["a k1 large", "a k2 timeout", "a k3 late", "b k3 later"]);
  expect(stored).toEqual(["timeout"]);
  expect(results.slice(2)).toMatchObject([
    { error: { message: "the time limit" }, isRetryable: true },
    { error: { message: "the time limit" }, isRetryable: true },
  ]);
});

test("when a batch is abandoned at the time limit of one call, the other calls fail with this reason", async () => {
  const limit = new AbortController();
  const lane = new TopicLane({
    topic: "orders",
    maxBatchBytes: 1_000_000,
    send: () => (limit.abort(new Error("not confirmed within 10000 ms")), new Promise<never>(() => {})),
    onAbandoned: () => {},
    onIdle: () => {},
  });
  const pending = [limit.signal, new AbortController().signal].map((signal, at) => {
    const message = { id: String(at), topic: "orders", key: null, headers: {}, body: "{}", delayMs: 0 };
    const { promise, resolve } = Promise.withResolvers<SendResult>();
    lane.add([{ message, bytes: 100, call: {}, signal, settle: resolve }]);
    return promise;
  });
  expect(await Promise.all(pending)).toMatchObject([
    { error: { message: "not confirmed within 10000 ms" }, isRetryable: true },
    { error: { message: "its batch was abandoned at the time limit of another send" }, isRetryable: true },
  ]);
});
