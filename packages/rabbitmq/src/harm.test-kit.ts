import { expectNothingLost } from "@framework/messaging/testing";
import { rabbitmqBroker } from "./index.ts";
import { newName } from "./process.test-kit.ts";

/** Messages of each fault; FRAMEWORK_RABBITMQ_MESSAGES=100000 makes these tests long. */
export const MESSAGES: number = Number(process.env["FRAMEWORK_RABBITMQ_MESSAGES"] ?? 400);
/** Time limit of a test. */
export const LIMIT_MS: number = 300_000 + MESSAGES * 20;

/** Nothing is lost, and keys keep their order, while the server or the network is harmed. */
export const expectEverythingDespite = async (
  url: string,
  ...harms: readonly (() => Promise<void>)[]
): Promise<void> => {
  const fixture = { adapter: () => rabbitmqBroker({ url, heartbeatSecs: 1 }), prefix: newName() };
  await expectNothingLost(fixture, { messages: MESSAGES, sendTimeoutMs: 2000, limitMs: LIMIT_MS }, ...harms);
};
