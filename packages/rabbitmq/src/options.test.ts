import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { RabbitMQConfig } from "./index.ts";

/** The test in which each option changes behaviour: its file, and its name. */
const tests: Readonly<Record<keyof RabbitMQConfig, readonly [file: string, name: string]>> = {
  url: ["rabbitmq.int.test", "wrong credentials are the reason why a service is not ready"],
  prefetchCount: ["rabbitmq.int.test", "prefetchCount caps what a process holds"],
  ca: ["rabbitmq.int.test", "amqps connects with the authorities of ca, and with no others"],
  heartbeatSecs: ["faults.int.test", "heartbeatSecs is what the server sends heartbeats by"],
  connectionTimeoutMs: ["rabbitmq.test", "is left at connectionTimeoutMs"],
  deliveryLimit: ["rabbitmq.int.test", "a dead letter at the delivery limit"],
  consumerTimeoutMs: ["faults.int.test", "a slow acknowledgement is warned of"],
  delayQueues: ["rabbitmq.int.test", "a delayed message is handled, and not before its time"],
};

test("every option changes behaviour in a test", () => {
  expect(Object.keys(tests).toSorted()).toEqual(Object.keys(RabbitMQConfig.of()).toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    expect([option, source.includes(name), source.includes(option)]).toEqual([option, true, true]);
  }
});
