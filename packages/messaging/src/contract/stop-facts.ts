import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { Message } from "../message/message.ts";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { numbers, once } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { shortPause, until } from "./harness/until.ts";

/** Tests of stops and pauses of a service. */
export const stopFacts: PortFacts<BrokerFixture> = {
  "a clean stop finishes running handlers, and delivers nothing twice": async (fixture) => {
    const got: unknown[] = [];
    const handle = async ({ data }: Message): Promise<void> => {
      got.push(data);
      await shortPause(10);
    };
    {
      await using one = new TestApp(fixture);
      one.messaging.subscribe(one.topic, { group: one.group, concurrency: 4 }, handle);
      await one.start();
      await one.messaging.sendAll(
        one.topic,
        numbers(40).map((data) => ({ type: "n", data })),
      );
      await until("some messages", () => got.length >= 8);
    }
    await using second = new TestApp(fixture);
    second.messaging.subscribe(second.topic, { group: second.group, concurrency: 4 }, handle);
    await second.start();
    await until("all messages", () => new Set(got).size === 40);
    assert.equal(got.length, 40);
  },
  "a handler that does not end is aborted at the end of the drain, and its message delivered again": async (
    fixture,
  ) => {
    const signals: AbortSignal[] = [];
    {
      await using one = new TestApp(fixture, { drainMs: 50 });
      one.messaging.subscribe(one.topic, { group: one.group }, async ({ signal }) => {
        signals.push(signal);
        const { promise, reject } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        await promise;
      });
      await one.start();
      await one.send("again");
      await until("the handler to run", () => signals.length === 1);
    }
    assert.equal(signals[0]?.aborted, true);
    await using second = new TestApp(fixture);
    const got: unknown[] = [];
    second.messaging.subscribe(second.topic, { group: second.group }, ({ data }) => void got.push(data));
    await second.start();
    await until("the message", () => got.length === 1);
    assert.deepEqual(got, ["again"]);
  },
  "a send after the stop fails": async (fixture) => {
    const one = new TestApp(fixture);
    one.messaging.subscribe(one.topic, { group: one.group }, () => {});
    await one.start();
    await one.send(1);
    await one.stop();
    await assert.rejects(one.send(2), { code: "MESSAGING_SEND_FAILED", status: 503 });
  },
  "an open circuit does not count as a try": async (fixture) => {
    await using one = new TestApp(fixture);
    const attempts: number[] = [];
    one.messaging.subscribe(one.topic, { group: one.group, retry: once }, ({ attempt }) => {
      attempts.push(attempt);
      if (attempts.length < 3)
        throw Object.assign(new Error("open"), { name: "CircuitOpenError", extras: { retry_after: 0.05 } });
    });
    await one.start();
    await one.send(1);
    await until("the message to be done", () => one.messaging.status()[0]?.done === 1);
    assert.deepEqual(attempts, [1, 1, 1]);
  },
};
