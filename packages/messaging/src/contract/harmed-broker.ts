import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { BrokerFixture } from "./broker-fixture.ts";
import { deadTopicOf, Ledger, type LedgerOptions } from "./ledger.ts";
import { TestApp } from "./test-app.ts";
import { until } from "./until.ts";

/** What is sent while a broker is harmed, or processes stop. */
export interface HarmPlan extends Omit<LedgerOptions, "fails"> {
  /** Messages that are sent. */
  readonly messages: number;
  /** Time of a send until its confirmation. @default 10000 */
  readonly sendTimeoutMs?: number;
  /** Longest wait for a part of the messages, in milliseconds. */
  readonly limitMs: number;
}

/**
 * Sends and handles everything, some of which fails, with two consuming processes, while a harm is done after each quarter of it.
 *
 * Asserts that nothing was lost, that each key kept its order, and that every poison message became a dead letter with its cause.
 */
export const expectNothingLost = async (
  fixture: BrokerFixture,
  { messages, sendTimeoutMs = 10_000, limitMs, ...options }: HarmPlan,
  ...harms: readonly (() => Promise<void>)[]
): Promise<void> => {
  const ledger = new Ledger(messages, { ...options, fails: true });
  const topic = `${fixture.prefix}-topic`;
  const newApp = (): TestApp => new TestApp(fixture, { topics: [topic, deadTopicOf(topic)], sendTimeoutMs });
  await using one = newApp();
  await using two = newApp();
  await using sender = newApp();
  for (const consumer of [one, two]) ledger.subscribe(consumer, topic, { group: consumer.group });
  for (const app of [one, two, sender]) await app.start();
  const sending = ledger.send(sender, topic);
  for (const [at, harm] of harms.entries()) {
    const share = (ledger.total * (at + 1)) / 4;
    await until("the messages before a harm", () => ledger.count >= share, limitMs);
    await harm();
  }
  await sending;
  assert.deepEqual(await ledger.sequences(), ledger.expected);
  assert.deepEqual(ledger.dead.wrong, []);
  assert.ok(ledger.dead.count > 0, "there are dead letters");
};

/** Replaces processes, which stop in order, while messages are sent. Asserts that none is handled twice and, with `key`, that each key kept its order. */
export const expectNothingTwice = async (
  fixture: BrokerFixture,
  order: "none" | "key",
  { messages, limitMs, stops, ...options }: HarmPlan & { readonly stops: number },
): Promise<void> => {
  const ledger = new Ledger(messages, options);
  const newProcess = async (): Promise<TestApp> => {
    const app = new TestApp(fixture);
    app.messaging.subscribe(app.topic, { group: app.group, order, concurrency: 4 }, async (message) => {
      if (order === "key") ledger.handle(message);
      await sleep(1);
      if (order === "none") ledger.handle(message);
    });
    return await app.start();
  };
  let processes = [await newProcess(), await newProcess()];
  await using sender = await new TestApp(fixture).start();
  const sending = ledger.send(sender, sender.topic);
  for (let stop = 1; stop <= stops; stop++) {
    await until("the messages before a stop", () => ledger.handled >= (stop * ledger.total) / 8, limitMs);
    const [oldest, ...others] = processes;
    processes = [...others, await newProcess()];
    await oldest?.stop();
  }
  await sending;
  const numbers = await ledger.sequences();
  await Promise.all(processes.map((each) => each.stop()));
  assert.equal(ledger.handled, ledger.total);
  if (order === "key") assert.deepEqual(numbers, ledger.expected);
};
