import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { fast } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { until } from "./harness/until.ts";

const LONG_MS = 600_000;

/** Whether messages wait for a retry after `LONG_MS` at the broker, not in the process. */
const keepsRetries = (fixture: BrokerFixture): boolean => {
  const { maxRetryDelayMs, retryTopics } = fixture.adapter().capabilities;
  return retryTopics || maxRetryDelayMs >= LONG_MS;
};

/** Tests of retries with a delay that the handler chooses. */
export const retryFacts: PortFacts<BrokerFixture> = {
  "messages that are retried after a long delay do not block other messages": async (fixture) => {
    await using one = new TestApp(fixture);
    const got: unknown[] = [];
    const options = { group: one.group, concurrency: 2, prefetch: 4, retry: fast };
    one.messaging.subscribe(one.topic, options, ({ data }, context) => {
      if (data === "later") context.retry({ delayMs: LONG_MS });
      else got.push(data);
    });
    await one.start();
    const waiting = keepsRetries(fixture) ? 10 : options.prefetch - 1; // messages held by the process count against prefetch
    for (let n = 0; n < waiting; n++) await one.send("later");
    await one.send("good");
    await until("the message after them", () => got.length === 1);
  },
  "an immediate retry settles no other message": async (fixture) => {
    let tries = 0;
    {
      await using one = new TestApp(fixture, { drainMs: 10 });
      const retry = { quickTries: 1, delaysMs: [20, 20], jitter: 0 };
      one.messaging.subscribe(one.topic, { group: one.group, retry }, async ({ data, signal }, context) => {
        if (data === "retries") return ++tries === 1 ? context.retry({ delayMs: 0 }) : undefined;
        const { promise, reject } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        await promise;
      });
      await one.start();
      await one.send("runs", { key: "same" });
      await one.send("retries", { key: "same" });
      await until("the other try to be done", () => one.messaging.status()[0]?.done === 1);
    }
    await using second = new TestApp(fixture);
    const got: unknown[] = [];
    second.messaging.subscribe(second.topic, { group: second.group }, ({ data }) => void got.push(data));
    await second.start();
    await until("the message that ran", () => got.includes("runs"));
  },
};
