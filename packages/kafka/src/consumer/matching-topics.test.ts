import { virtualClock } from "@framework/core/testing";
import type { ConsumerOptions, Sink } from "@framework/messaging/adapter";
import { expect, test } from "@jest/globals";
import type { Admin } from "kafkajs";
import type { AdminClient } from "../client/admin-client.ts";
import { KafkaConfig } from "../kafka-config.ts";
import { KafkaConsumer } from "./kafka-consumer.ts";
import { matchingTopics } from "./matching-topics.ts";

const log = { info() {}, warn() {}, error() {} };
const METADATA_MS = 60_000;

/** Creates a fake administrative connection that lists topics. */
const adminOf = (listTopics: () => readonly string[]) => {
  const admin = { listTopics: async () => listTopics() };
  return { use: (run: (open: Admin) => unknown) => run(admin as unknown as Admin) } as AdminClient;
};

test("a pattern matches no internal, dead-letter or retry topics, but a subscription can name them", async () => {
  const topics = [
    "__consumer_offsets",
    "orders.audit.dlq",
    "pattern.audit.dlq",
    "orders.audit.retry.0",
    "orders.billing.dlq",
    "pattern.billing.dlq",
    "orders.billing.retry.12",
    "lost orders",
    "constructor",
    "orders.dlq",
    "orders",
  ];
  const options = {
    topics: ["orders.audit.dlq"],
    pattern: /./,
    group: "audit",
    deadLetterTopic: "lost orders",
  };
  const found = await matchingTopics(
    adminOf(() => topics),
    options,
  );
  expect(found).toEqual(["orders", "orders.audit.dlq", "orders.dlq"]);
});

test("a subscription whose pattern matches no topic is running, and searches every metadataMs", async () => {
  const clock = virtualClock();
  const states: string[] = [];
  let searches = 0;
  const searched = Promise.withResolvers<void>();
  const consumer = new KafkaConsumer({
    config: KafkaConfig.of({ brokers: "127.0.0.1:1", metadataMs: METADATA_MS }),
    log,
    clock,
    random: () => 0.9,
    admin: adminOf(() => {
      searches++;
      searched.resolve();
      return [];
    }),
    options: {
      pattern: /^orders/,
      topics: [],
      group: "audit",
      from: "earliest",
      sink: { state: (state: string) => void states.push(state), revoked() {} } as unknown as Sink,
    } as unknown as ConsumerOptions,
  });
  consumer.start();
  await searched.promise;
  for (let search = 2; search < 7; search++) {
    await clock.advance(METADATA_MS);
    expect(searches).toBe(search);
  }
  expect(new Set(states)).toEqual(new Set(["running"]));
  await consumer.close();
  expect(states.at(-1)).toBe("closed");
});
