import { expect } from "@jest/globals";
import { deadTopicOf, Ledger } from "@framework/messaging/testing";
import { waitFor } from "@framework/testing";
import { newName, TestApp } from "./process.test-kit.ts";

/** Messages of each fault; FRAMEWORK_RABBITMQ_MESSAGES=100000 makes these tests long. */
export const MESSAGES: number = Number(process.env["FRAMEWORK_RABBITMQ_MESSAGES"] ?? 400);
/** Time limit of a test. */
export const LIMIT_MS: number = 300_000 + MESSAGES * 20;

/** Sends and handles everything, some of which fails, with two consuming processes, while a harm is done after each quarter of it. */
export const expectEverythingDespite = async (
  url: string,
  ...harms: readonly (() => Promise<void>)[]
): Promise<void> => {
  const topic = newName();
  const ledger = new Ledger(MESSAGES, { fails: true });
  const config = { url, topics: [topic, deadTopicOf(topic)], heartbeatSecs: 1, sendTimeoutMs: 2000 };
  await using one = new TestApp(config);
  await using two = new TestApp(config);
  await using sender = new TestApp(config);
  for (const consumer of [one, two]) ledger.subscribe(consumer, topic, { group: "group" });
  await Promise.all([one, two, sender].map((app) => app.start()));
  const sending = ledger.send(sender, topic);
  for (const [at, harm] of harms.entries()) {
    await waitFor(() => ledger.count >= (MESSAGES * (at + 1)) / 4, { timeoutMs: LIMIT_MS });
    await harm();
  }
  await sending;
  expect(await ledger.sequences()).toEqual(ledger.expected);
  expect(ledger.dead.wrong).toEqual([]);
  expect(ledger.dead.count).toBeGreaterThan(0);
};
