import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { keyedOrder } from "./harness/keyed-order.ts";
import { numbers } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { until } from "./harness/until.ts";

/** A short window, because the test waits in real time. */
const rate = { limit: 3, perSecs: 0.15 };

const byNumber = (one: unknown, other: unknown): number => Number(one) - Number(other);

/** Tests of the rate of a subscription. */
export const rateFacts: PortFacts<BrokerFixture> = {
  "a rate limits handler calls, tries included; messages above it wait, in order, and none is lost": async (
    fixture,
  ) => {
    await using one = new TestApp(fixture);
    const order = keyedOrder(fixture);
    const handled: unknown[] = [];
    let calls = 0;
    one.messaging.subscribe(
      one.topic,
      { group: one.group, order, rate, retry: { quickDelayMs: 1 } },
      ({ data }, _context) => {
        if (++calls === 2) throw new Error("the second call fails");
        handled.push(data);
      },
    );
    await one.start();
    const from = performance.now();
    for (const number of numbers(7)) await one.send(number, { key: "k" });
    await until("all messages", () => handled.length === 7);
    const windows = Math.ceil(8 / rate.limit) - 1; // the eighth call is in the third window
    const minMs = windows * rate.perSecs * 1000 - 5; // clocks are rounded
    assert.ok(performance.now() - from >= minMs, "the eighth call began too early");
    assert.deepEqual(order === "key" ? handled : handled.toSorted(byNumber), numbers(7));
    assert.equal(calls, 8);
  },
};
