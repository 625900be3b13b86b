import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { RabbitMQConfig } from "./index.ts";

/** File and name of the test in which each option changes behaviour. */
const tests: Readonly<Record<keyof RabbitMQConfig, readonly [file: string, name: string]>> = {
  url: ["rabbitmq.int.test", "wrong credentials are reported without the password"],
  prefetchCount: ["rabbitmq.int.test", "prefetchCount limits the deliveries that a process holds"],
  ca: ["rabbitmq.int.test", "amqps trusts only the authorities of ca"],
  heartbeatSecs: ["faults.int.test", "heartbeatSecs is negotiated with the server"],
  connectionTimeoutMs: ["rabbitmq.test", "fails at connectionTimeoutMs"],
  deliveryLimit: ["rabbitmq.int.test", "a dead letter at the delivery limit"],
  consumerTimeoutMs: ["faults.int.test", "logs a warning about a slow acknowledgement"],
  delayQueues: ["rabbitmq.int.test", "a delayed message is handled, and not before its due time"],
};

test("every option names a test of its effect", () => {
  expect(Object.keys(tests).toSorted()).toEqual(Object.keys(RabbitMQConfig.of()).toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    expect([option, source.includes(name), source.includes(option)]).toEqual([option, true, true]);
  }
});
