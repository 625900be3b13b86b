import assert from "node:assert/strict";
import type { StandardSchema } from "@framework/core";
import type { Message } from "../../message/message.ts";
import type { MessageRetry } from "../../subscribe/message-retry.ts";
import type { BrokerFixture } from "./broker-fixture.ts";
import { TestApp } from "./test-app.ts";
import { shortPause, until } from "./until.ts";

/** Retry policy of 3 quick and 2 delayed tries, with delays of milliseconds. */
export const fast: Partial<MessageRetry> = { quickTries: 3, quickDelayMs: 1, delaysMs: [20, 20], jitter: 0 };
/** Retry policy of one try. */
export const once: Partial<MessageRetry> = { quickTries: 1, delaysMs: [] };

const standard = { version: 1, vendor: "contract" } as const;
/** A schema that accepts everything. */
export const acceptAll: StandardSchema = {
  "~standard": { ...standard, validate: (value: unknown) => ({ value }) },
};
/** A schema that rejects everything. */
export const refuseAll: StandardSchema = {
  "~standard": { ...standard, validate: () => ({ issues: [{ message: "refused" }] }) },
};

/** Returns the first `count` numbers from 0. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

type Handle = Parameters<TestApp["messaging"]["subscribe"]>[2];

/** Sends one message that becomes a dead letter. Resolves with the dead letter and the number of tries. */
export const poison = async (
  fixture: BrokerFixture,
  handle: (...args: Parameters<Handle>) => unknown,
  options: object = {},
): Promise<{ readonly tries: number; readonly dead: Message }> => {
  await using one = new TestApp(fixture, { topics: [`${fixture.prefix}-topic`, `${fixture.prefix}-dead`] });
  const deadTopic = `${fixture.prefix}-dead`;
  let tries = 0;
  const dead: Message[] = [];
  one.messaging.subscribe(deadTopic, { group: `${one.group}-dead` }, (message) => void dead.push(message));
  one.messaging.subscribe(
    one.topic,
    { group: one.group, retry: fast, deadLetter: deadTopic, ...options },
    (message, context, dependencies?: unknown) => {
      tries++;
      return handle(message as never, context, dependencies as never);
    },
  );
  await one.start();
  await one.messaging.send(one.topic, {
    id: "poison",
    type: "test.sent",
    key: "k",
    data: { poison: true },
    headers: { "x-shelf": "a 7" },
  });
  await until("the dead letter", () => dead.length === 1);
  await shortPause();
  assert.equal(dead.length, 1, "there is more than one dead letter");
  const [message] = dead;
  assert.ok(message);
  return { tries, dead: message };
};
