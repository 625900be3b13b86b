import { virtualClock } from "@framework/core/testing";
import type { ConsumerOptions, Sink } from "@framework/messaging/adapter";
import { expect, test } from "@jest/globals";
import type { SqsApi } from "../client/sqs-api.ts";
import { KnownQueues } from "../queues/known-queues.ts";
import { SqsConfig } from "../sqs-config.ts";
import { SqsConsumer } from "./sqs-consumer.ts";

test("a stop does not wait until SQS has recreated a deleted queue", async () => {
  const clock = virtualClock();
  const config = SqsConfig.of();
  const api = {
    urlOf: async (name: string) => `http://localhost/1/${name}`,
    receive: async () => {
      throw Object.assign(new Error("deleted"), { name: "QueueDoesNotExist" });
    },
    changeVisibility: async () => new Map(),
  } as unknown as SqsApi;
  const recreating = Promise.withResolvers<void>();
  const sink = { room: () => 10, state() {}, isAlive: () => true } as unknown as Sink;
  const consumer = new SqsConsumer(
    {
      api,
      queues: new KnownQueues({ api, clock, config }),
      config,
      clock,
      random: () => 0,
      log: { info() {}, warn() {}, error() {} },
      recreate: async () => {
        recreating.resolve();
        await new Promise(() => {}); // SQS does not respond
      },
    },
    { topics: ["orders"], group: "mail", order: "none", prefetch: 10, sink } as unknown as ConsumerOptions,
  );
  consumer.start();
  await recreating.promise;
  let hasStopped = false;
  const stopped = consumer.stop().then(() => (hasStopped = true));
  await clock.advance(100);
  await clock.advance(5000);
  expect(hasStopped).toBe(true);
  await stopped;
  await consumer.close();
});
