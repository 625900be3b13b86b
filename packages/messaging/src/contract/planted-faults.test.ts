import { randomUUID } from "node:crypto";
import { expectContractToCatch, portContract } from "@framework/core/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { memoryBroker } from "../memory/memory-broker.ts";
import type { BrokerAdapter } from "../port/broker-adapter.ts";
import { brokerContract } from "./broker-contract.ts";
import { changeConsumers, type Fault, changeSends, changeSinks } from "./faults.test-kit.ts";
import { shortenWaits } from "./harness/until.ts";

let restore = (): void => {};
beforeAll(() => {
  restore = shortenWaits(500);
});
afterAll(() => restore());

let sent = 0;

const faults: readonly (readonly [string, Fault, string])[] = [
  [
    "confirms dropped messages",
    changeSends((message) => (sent++ % 3 === 0 ? null : message)),
    "every message of a list is confirmed and delivered",
  ],
  [
    "drops headers",
    changeSends((message) => ({ ...message, headers: {} })),
    "a sent message is delivered with its topic, body and headers",
  ],
  [
    "drops keys",
    changeSends((message) => ({ ...message, key: null })),
    "the key of a message is delivered, null for none",
  ],
  [
    "parses bodies",
    changeSends((message) => ({
      ...message,
      body: typeof message.body === "string" ? JSON.stringify(JSON.parse(message.body)) : message.body,
    })),
    "numbers keep every digit",
  ],
  [
    "reads bytes as text",
    changeSends((message) => ({
      ...message,
      body: typeof message.body === "string" ? message.body : new TextDecoder().decode(message.body),
    })),
    "bytes that are not UTF-8 are delivered unchanged",
  ],
  [
    "ignores delays",
    changeSends((message) => ({ ...message, delayMs: 0 })),
    "a delayed message is delivered, and not before its due time",
  ],
  [
    "stores messages twice",
    ({ producer }) => ({
      producer: {
        async send(messages, options) {
          await producer.send(messages, options);
          return await producer.send(messages, options);
        },
      },
    }),
    "consumers of one group share the messages, each once",
  ],
  [
    "reverses the order of sends",
    ({ producer }) => ({
      producer: { send: (messages, options) => producer.send(messages.toReversed(), options) },
    }),
    "messages of a key are delivered in the order of one send",
  ],
  [
    "ignores the order",
    ({ consumer }) => ({ consumer: (options) => consumer({ ...options, order: "none" }) }),
    "messages of a key wait while one of them waits for its retry",
  ],
  [
    "gives each process its own group",
    ({ consumer }) => ({ consumer: (options) => consumer({ ...options, group: randomUUID() }) }),
    "consumers of one group share the messages, each once",
  ],
  [
    "delivers one copy to all groups together",
    ({ consumer }) => ({ consumer: (options) => consumer({ ...options, group: "one" }) }),
    "two groups each get every message",
  ],
  [
    "forgets settlements",
    changeConsumers(() => ({ settle: async () => [] })),
    "a message that is done is not delivered again",
  ],
  [
    "loses unsettled messages",
    changeConsumers((consumer) => ({ close: () => consumer.stop() })),
    "unsettled messages are delivered again after a close",
  ],
  [
    "reports nothing as lost",
    changeConsumers((consumer) => ({
      async settle(settlements) {
        await consumer.settle(settlements);
        return [];
      },
    })),
    "a delivery that is not held is reported as lost",
  ],
  [
    "retries immediately",
    changeConsumers((consumer) => ({
      settle: (settlements) =>
        consumer.settle(
          settlements.map((each) => (each.action === "retry" ? { ...each, delayMs: 0 } : each)),
        ),
    })),
    "a delayed retry is delivered, and not before its due time",
  ],
  [
    "forgets the tries",
    changeConsumers((consumer) => ({
      settle: (settlements) =>
        consumer.settle(settlements.map((each) => (each.action === "retry" ? { ...each, tries: 0 } : each))),
    })),
    "a retried message keeps body, headers, key and tries",
  ],
  [
    "treats a retry as done",
    changeConsumers((consumer) => ({
      settle: (settlements) =>
        consumer.settle(settlements.map(({ delivery }) => ({ delivery, action: "done" }))),
    })),
    "a retry delivers the message again, only to its group",
  ],
  [
    "ignores the room",
    changeSinks(() => ({ room: () => 1000 })),
    "a consumer delivers no more than there is room for",
  ],
  [
    "never waits for room",
    changeSinks(() => ({ whenRoom: () => Promise.withResolvers<void>().promise })),
    "a consumer continues when there is room again",
  ],
  [
    "ignores pauses",
    changeConsumers(() => ({ pause: () => {} })),
    "a paused consumer delivers nothing until it is resumed",
  ],
  [
    "never resumes",
    changeConsumers(() => ({ resume: () => {} })),
    "a paused consumer delivers nothing until it is resumed",
  ],
  [
    "continues after a stop",
    changeConsumers(() => ({ stop: async () => {} })),
    "a stopped consumer delivers nothing",
  ],
  [
    "reports no state",
    changeSinks(() => ({ state: () => {} })),
    "the consumer reports when it runs and when it is closed",
  ],
  [
    "reports no lag",
    changeConsumers(() => ({ lag: async () => 0 })),
    "the lag is the number of waiting messages, if the broker knows it",
  ],
  [
    "reports nothing as overdue",
    changeConsumers(() => ({ overdue: async () => 0 })),
    "due messages that a consumer does not fetch are overdue",
  ],
  [
    "counts delayed messages as overdue",
    changeConsumers((consumer) => ({ overdue: async () => (await consumer.lag()) ?? 0 })),
    "a delayed message is not overdue",
  ],
  [
    "counts messages of a key that another consumer holds as overdue",
    changeConsumers((consumer) => ({ overdue: async () => (await consumer.lag()) ?? 0 })),
    "messages of a key are not overdue while another consumer holds an earlier one",
  ],
];

test.concurrent.each(faults)("the suite catches a broker that %s", async (_name, fault, fact) => {
  const run = brokerContract.facts[fact];
  if (run === undefined) throw new Error(`there is no fact "${fact}"`);
  const make = () => ({
    adapter: ((): (() => BrokerAdapter) => {
      const broken = withFault(fault);
      return () => broken;
    })(),
    prefix: randomUUID().slice(0, 8),
  });
  await expect(
    expectContractToCatch(portContract("broker", { [fact]: run }), make, { timeoutMs: 20_000 }),
  ).resolves.toEqual([fact]);
});

const withFault = (fault: Fault): BrokerAdapter => {
  const inner = memoryBroker();
  return {
    ...inner,
    open(context) {
      const broker = inner.open(context);
      return { ...broker, ...fault(broker) };
    },
  };
};
