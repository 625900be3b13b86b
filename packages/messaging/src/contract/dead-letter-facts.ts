import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { fast, poison, refuseAll } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { until } from "./harness/until.ts";

/** Tests of messages that become dead letters. */
export const deadLetterFacts: PortFacts<BrokerFixture> = {
  "a poison message becomes a dead letter after exactly the configured tries": async (fixture) => {
    const { tries, dead } = await poison(fixture, () => {
      throw new TypeError("broken");
    });
    assert.equal(tries, 5);
    assert.equal(dead.headers["framework-dead-tries"], "5");
    assert.equal(dead.headers["framework-dead-error"], "TypeError");
    assert.equal(dead.headers["framework-dead-message"], "broken");
  },
  "a dead letter keeps the characters of its error, except control characters": async (fixture) => {
    const { dead } = await poison(fixture, () => {
      throw new Error(`böse 🔑\n${"ü".repeat(1000)}`);
    });
    assert.match(dead.headers["framework-dead-message"] ?? "", /^böse 🔑\?ü{200,}$/u);
  },
  "an asynchronous failure counts as a failed try": async (fixture) => {
    const { tries } = await poison(fixture, async () => {
      await Promise.resolve();
      throw new Error("later");
    });
    assert.equal(tries, 5);
  },
  "a thrown value that is not an error is a failed try": async (fixture) => {
    const { dead } = await poison(fixture, () => {
      // oxlint-disable-next-line no-throw-literal -- handlers can throw anything
      throw null;
    });
    assert.equal(dead.headers["framework-dead-error"], "thrown");
  },
  "a dead letter has the event's id, type, key, data and headers, and the name of its group": async (
    fixture,
  ) => {
    const { dead } = await poison(fixture, () => {
      throw new Error("broken");
    });
    assert.deepEqual([dead.id, dead.type, dead.key], ["poison", "test.sent", "k"]);
    assert.deepEqual(JSON.parse(JSON.stringify(dead.data)), { poison: true });
    assert.equal(dead.headers["x-shelf"], "a 7");
    assert.equal(dead.headers["framework-dead-group"], `${fixture.prefix}-group`);
  },
  "reject makes a dead letter after one try": async (fixture) => {
    const { tries, dead } = await poison(fixture, (_message, context) => context.reject("no such book"));
    assert.equal(tries, 1);
    assert.match(dead.headers["framework-dead-message"] ?? "", /no such book/);
  },
  "an event whose data does not fit the schema is a dead letter without a try": async (fixture) => {
    const { tries, dead } = await poison(fixture, () => {}, { schema: refuseAll });
    assert.equal(tries, 0);
    assert.equal(dead.headers["framework-dead-code"], "MESSAGING_INVALID_DATA");
  },
  "an event whose type the subscription does not know is a dead letter": async (fixture) => {
    const { tries, dead } = await poison(fixture, () => {}, { schema: { "other.type": refuseAll } });
    assert.equal(tries, 0);
    assert.equal(dead.headers["framework-dead-code"], "MESSAGING_UNKNOWN_TYPE");
  },
  "a message that a guard rejects is a dead letter": async (fixture) => {
    const { tries, dead } = await poison(fixture, () => {}, { guards: [() => false] });
    assert.equal(tries, 0);
    assert.equal(dead.headers["framework-dead-code"], "MESSAGING_REJECTED");
  },
  "with manual acknowledgement, returning without a decision is a failed try": async (fixture) => {
    const { tries, dead } = await poison(fixture, () => {}, { ack: "manual" });
    assert.equal(tries, 5);
    assert.equal(dead.headers["framework-dead-code"], "MESSAGING_NO_DECISION");
  },
  "a handler that exceeds its time limit has failed, and its signal aborts": async (fixture) => {
    const aborted: boolean[] = [];
    const { tries, dead } = await poison(
      fixture,
      async ({ signal }) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => resolve(), { once: true });
        await promise;
        aborted.push(signal.aborted);
      },
      { timeoutMs: 30, retry: { quickTries: 2, quickDelayMs: 1, delaysMs: [] } },
    );
    assert.deepEqual([tries, aborted], [2, [true, true]]);
    assert.equal(dead.headers["framework-dead-code"], "MESSAGING_TIMEOUT");
  },
  "a poison message does not block other messages": async (fixture) => {
    await using one = new TestApp(fixture);
    const got = new Set<unknown>();
    const options = { group: one.group, retry: { ...fast, delaysMs: [60_000] }, deadLetter: "topic" };
    one.messaging.subscribe(one.topic, options, ({ data }) => {
      if (data === "poison") throw new Error("broken");
      got.add(data);
    });
    await one.start();
    await one.send("poison");
    for (let n = 0; n < 20; n++) await one.send(n);
    await until("the other messages", () => got.size === 20);
  },
};
