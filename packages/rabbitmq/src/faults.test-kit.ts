import { expectNothingLost } from "@framework/messaging/testing";
import { rabbitmqBroker } from "./index.ts";
import { newName } from "./process.test-kit.ts";

/** Number of messages of each test: more with FRAMEWORK_RABBITMQ_MESSAGES=100000. */
export const MESSAGES: number = Number(process.env["FRAMEWORK_RABBITMQ_MESSAGES"] ?? 400);
/** Time limit of a test. */
export const LIMIT_MS: number = 300_000 + MESSAGES * 20;

/** Asserts that nothing is lost, and keys keep their order, despite faults of server or network. */
export const expectNothingLostDespite = async (
  url: string,
  ...faults: readonly (() => Promise<void>)[]
): Promise<void> => {
  const fixture = { adapter: () => rabbitmqBroker({ url, heartbeatSecs: 1 }), prefix: newName() };
  await expectNothingLost(fixture, { messages: MESSAGES, sendTimeoutMs: 2000, limitMs: LIMIT_MS }, ...faults);
};
