import type { OutgoingMessage } from "@framework/messaging/adapter";
import { expect, test } from "@jest/globals";
import { kafkaBroker } from "../index.ts";
import { KafkaConfig } from "../kafka-config.ts";
import { KafkaProducer } from "./kafka-producer.ts";

const MIB = 1_048_576;
const log = { info() {}, warn() {}, error() {} };

const message = (bytes: number): OutgoingMessage => ({
  id: "1",
  topic: "orders",
  key: null,
  headers: {},
  body: "x".repeat(bytes),
  delayMs: 0,
});

test("at most 64 MiB wait for confirmation; a single call may exceed this while nothing else waits", async () => {
  const producer = new KafkaProducer(KafkaConfig.of({ brokers: ["127.0.0.1:1"] }), log);
  const signal = AbortSignal.abort(new Error("the time limit")); // reached before anything is sent
  const large = Array.from({ length: 65 }, () => message(MIB));
  const first = producer.send(large, { signal });
  const second = producer.send([message(1)], { signal });
  const reasons = [await first, await second].map(([result]) => result?.ok === false && result.error.message);
  expect(reasons).toEqual(["the time limit", "more than 67108864 bytes wait for their confirmation"]);
  const [third] = await producer.send([message(1)], { signal });
  expect(third).toMatchObject({ error: { message: "the time limit" }, isRetryable: true });
  await producer.close();
});

test("kafkaBroker refuses the mistakes that enableMessaging reports", () => {
  expect(() => kafkaBroker({ compression: "snappy" })).toThrow('KafkaConfig.compression is "snappy"');
  expect(() => kafkaBroker({ replicas: 0 })).toThrow("KafkaConfig.replicas must not be 0");
});
