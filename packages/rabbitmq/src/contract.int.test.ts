import { randomUUID } from "node:crypto";
import { test } from "@jest/globals";
import type { Topology } from "@framework/messaging/adapter";
import { type BrokerFixture, brokerContract } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { rabbitmqBroker } from "./index.ts";
import { onServer } from "./process.test-kit.ts";
import { deadLetterTopic, groupQueue } from "./topology/names.ts";

/** Creates a fixture that deletes its queues: 4,000 idle queues of all suites would overload the server on a busy machine. */
const fixtureOn = (url: string): BrokerFixture => {
  const queues = new Set<string>();
  const note = ({ subscriptions }: Topology): void => {
    for (const { topics, group } of subscriptions)
      for (const topic of topics) queues.add(groupQueue(topic, group)).add(deadLetterTopic(topic, group));
  };
  const inner = rabbitmqBroker({ url, prefetchCount: 1000 }); // tests hold more than 10 deliveries
  return {
    prefix: `c${randomUUID().slice(0, 8)}`,
    adapter: () => ({
      ...inner,
      open(context) {
        const broker = inner.open(context);
        return {
          ...broker,
          topology(spec, mode) {
            note(spec);
            return broker.topology(spec, mode);
          },
        };
      },
    }),
    close: () =>
      onServer(url, async (channel) => {
        for (const queue of queues) await channel.deleteQueue(queue);
      }),
  };
};

withServer("rabbitmq", (url) => {
  brokerContract(test.concurrent, () => fixtureOn(url));
});
