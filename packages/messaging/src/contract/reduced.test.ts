import { randomUUID } from "node:crypto";
import { test } from "@jest/globals";
import { memoryBroker } from "../memory/memory-broker.ts";
import type { BrokerAdapter } from "../port/broker-adapter.ts";
import { brokerContract } from "./broker-contract.ts";

/** Removes optional capabilities from a broker: orders, delays and private topics. */
const reduceCapabilities = (inner: BrokerAdapter): BrokerAdapter => ({
  ...inner,
  name: "reduced",
  capabilities: {
    ...inner.capabilities,
    orders: [],
    maxDelayMs: 0,
    maxRetryDelayMs: 0,
    retryKeepsOrder: false,
    retryTopics: false,
    privateTopics: false,
  },
  open(context) {
    const broker = inner.open(context);
    return {
      ...broker,
      producer: {
        send: (messages, options) =>
          broker.producer.send(
            messages.map((message) => ({ ...message, delayMs: 0 })),
            options,
          ),
      },
      consumer(options) {
        const consumer = broker.consumer({ ...options, order: "none" });
        const settle: typeof consumer.settle = (settlements) =>
          consumer.settle(
            settlements.map((each) => (each.action === "retry" ? { ...each, delayMs: 0 } : each)),
          );
        return Object.assign(Object.create(consumer) as typeof consumer, { settle });
      },
    };
  },
});

brokerContract(test.concurrent, () => {
  const broker = reduceCapabilities(memoryBroker());
  return { adapter: () => broker, prefix: randomUUID().slice(0, 8) };
});
