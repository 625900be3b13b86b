import { createRequire } from "node:module";
import { expect, test } from "@jest/globals";
import type { SendResult } from "@framework/messaging/adapter";
import { Batch } from "./batch.ts";
import { TopicLane } from "./topic-lane.ts";
import { untilLeader } from "./until-leader.ts";

const { KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } = createRequire(import.meta.url)(
  "kafkajs/src/errors.js",
) as Record<string, new (...values: unknown[]) => Error>;

/** Creates the error that kafkajs throws after its retries. */
const retriesExceeded = (type: string): Error => {
  const cause = new KafkaJSProtocolError!({ type, message: `(${type})`, code: 6, retriable: true });
  return new KafkaJSNumberOfRetriesExceeded!(cause, { retryCount: 5, retryTime: 1000, cause });
};

const batch = (): Batch => new Batch([message]);
const message = { topic: "a", id: "1", key: null, headers: {}, body: "1", delayMs: 0 };

test.each(["NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "NOT_ENOUGH_REPLICAS"])(
  "a batch that fails with %s is sent again until it is stored",
  async (type) => {
    const outcomes = [retriesExceeded(type), retriesExceeded(type), "stored"];
    const send = async (): Promise<unknown> => {
      const outcome = outcomes.shift();
      if (Error.isError(outcome)) throw outcome;
      return outcome;
    };
    expect(await untilLeader(batch(), send)).toBe("stored");
    expect(outcomes).toEqual([]);
  },
);

test("a batch that fails for another reason is not sent again", async () => {
  let sends = 0;
  const send = async (): Promise<never> => {
    sends++;
    throw retriesExceeded("REQUEST_TIMED_OUT");
  };
  await expect(untilLeader(batch(), send)).rejects.toThrow("(REQUEST_TIMED_OUT)");
  expect(sends).toBe(1);
});

test("a send to a partition without a leader is retried until its time limit, and fails with the cause", async () => {
  const limit = new AbortController();
  const failed = Promise.withResolvers<SendResult>();
  let sends = 0;
  const lane = new TopicLane({
    topic: "a",
    maxBatchBytes: 1000,
    send: (_topic, sent) =>
      untilLeader(sent, async () => {
        if (++sends === 3) limit.abort(new Error("not confirmed within 100 ms"));
        throw retriesExceeded("NOT_LEADER_FOR_PARTITION");
      }),
    onAbandoned: () => {},
    onIdle: () => {},
  });
  lane.add([{ message, bytes: 1, call: {}, signal: limit.signal, settle: failed.resolve }]);
  const { error, isRetryable } = (await failed.promise) as Extract<SendResult, { ok: false }>;
  expect([error.message, isRetryable, sends]).toEqual(["not confirmed within 100 ms", true, 3]);
  expect(String(error.cause)).toContain("(NOT_LEADER_FOR_PARTITION)");
});
