import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { deadTopicOf, DeliveryRecorder, type DeliveryRecorderOptions } from "./harness/delivery-recorder.ts";
import { TestApp } from "./harness/test-app.ts";
import { until } from "./harness/until.ts";

/** Messages to send while a broker has faults, or processes stop. */
export interface FaultPlan extends Omit<DeliveryRecorderOptions, "fails"> {
  /** Number of messages to send. */
  readonly messages: number;
  /** Time limit of a send in milliseconds. @default 10000 */
  readonly sendTimeoutMs?: number;
  /** Longest wait for the messages before each fault or stop, in milliseconds. */
  readonly limitMs: number;
}

/**
 * Sends and handles messages, some of which fail, with two consuming processes, and injects one of the faults after each quarter.
 *
 * Asserts that nothing was lost, that each key kept its order, and that every poison message became a dead letter with its cause.
 */
export const expectNothingLost = async (
  fixture: BrokerFixture,
  { messages, sendTimeoutMs = 10_000, limitMs, ...options }: FaultPlan,
  ...faults: readonly (() => Promise<void>)[]
): Promise<void> => {
  const recorder = new DeliveryRecorder(messages, { ...options, fails: true });
  const topic = `${fixture.prefix}-topic`;
  const newApp = (): TestApp => new TestApp(fixture, { topics: [topic, deadTopicOf(topic)], sendTimeoutMs });
  await using one = newApp();
  await using two = newApp();
  await using sender = newApp();
  for (const consumer of [one, two]) recorder.subscribe(consumer, topic, { group: consumer.group });
  for (const app of [one, two, sender]) await app.start();
  const sending = recorder.send(sender, topic);
  for (const [at, inject] of faults.entries()) {
    const share = (recorder.total * (at + 1)) / 4;
    await until("the messages before a fault", () => recorder.count >= share, limitMs);
    await inject();
  }
  await sending;
  assert.deepEqual(await recorder.sequences(), recorder.expected);
  assert.deepEqual(recorder.dead.mismatches, []);
  assert.ok(recorder.dead.count > 0, "there are no dead letters");
};

/** Replaces processes, with clean stops, while messages are sent. Asserts that no message is handled twice and, with `key`, that each key kept its order. */
export const expectNothingTwice = async (
  fixture: BrokerFixture,
  order: "none" | "key",
  { messages, limitMs, stops, ...options }: FaultPlan & { readonly stops: number },
): Promise<void> => {
  const recorder = new DeliveryRecorder(messages, options);
  const newProcess = async (): Promise<TestApp> => {
    const app = new TestApp(fixture);
    app.messaging.subscribe(app.topic, { group: app.group, order, concurrency: 4 }, async (message) => {
      if (order === "key") recorder.handle(message);
      await sleep(1);
      if (order === "none") recorder.handle(message);
    });
    return await app.start();
  };
  let processes = [await newProcess(), await newProcess()];
  await using sender = await new TestApp(fixture).start();
  const sending = recorder.send(sender, sender.topic);
  for (let stop = 1; stop <= stops; stop++) {
    await until("the messages before a stop", () => recorder.handled >= (stop * recorder.total) / 8, limitMs);
    const [oldest, ...others] = processes;
    processes = [...others, await newProcess()];
    await oldest?.stop();
  }
  await sending;
  const numbers = await recorder.sequences();
  await Promise.all(processes.map((each) => each.stop()));
  assert.equal(recorder.handled, recorder.total);
  if (order === "key") assert.deepEqual(numbers, recorder.expected);
};
