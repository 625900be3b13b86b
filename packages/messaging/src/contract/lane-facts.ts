import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { keyedOrder } from "./harness/keyed-order.ts";
import { fast, numbers, once } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { shortPause, until } from "./harness/until.ts";

/** Tests of order and concurrency of handlers. */
export const laneFacts: PortFacts<BrokerFixture> = {
  "messages of a key run one at a time, in order": async (fixture) => {
    if (keyedOrder(fixture) === "none") return; // refused at start
    await using one = new TestApp(fixture);
    const got: unknown[] = [];
    let running = 0;
    one.messaging.subscribe(one.topic, { group: one.group, order: "key" }, async ({ data }) => {
      assert.equal(++running, 1);
      await shortPause(2);
      got.push(data);
      running--;
    });
    await one.start();
    for (let n = 0; n < 15; n++) await one.send(n, { key: "same" });
    await until("all", () => got.length === 15);
    assert.deepEqual(got, numbers(15));
  },
  "the order of a key is kept through quick and delayed tries": async (fixture) => {
    if (keyedOrder(fixture) === "none") return; // refused at start
    await using one = new TestApp(fixture);
    const done: unknown[] = [];
    const failures = new Map<unknown, number>();
    one.messaging.subscribe(one.topic, { group: one.group, order: "key", retry: fast }, ({ data }) => {
      const failed = failures.get(data) ?? 0;
      failures.set(data, failed + 1);
      if (data === 2 && failed < 4) throw new Error("not yet");
      if (data === 4 && failed < 2) throw new Error("not yet");
      done.push(data);
    });
    await one.start();
    for (let n = 0; n < 8; n++) await one.send(n, { key: "same" });
    await until("all", () => done.length === 8);
    assert.deepEqual(done, numbers(8));
  },
  "a key that waits for its retry does not block other keys": async (fixture) => {
    if (keyedOrder(fixture) === "none") return; // refused at start
    await using one = new TestApp(fixture);
    const got = new Set<unknown>();
    const retry = { quickTries: 1, delaysMs: [60_000], jitter: 0 };
    one.messaging.subscribe(one.topic, { group: one.group, order: "key", retry }, ({ data }) => {
      if (data === "bad") throw new Error("broken");
      got.add(data);
    });
    await one.start();
    await one.send("bad", { key: "bad" });
    for (let n = 0; n < 10; n++) await one.send(n, { key: `key-${n}` });
    await until("the other keys", () => got.size === 10);
  },
  "a dead letter frees its key": async (fixture) => {
    if (keyedOrder(fixture) === "none") return; // refused at start
    await using one = new TestApp(fixture);
    const got: unknown[] = [];
    const options = { group: one.group, order: "key", retry: once, deadLetter: "topic" } as const;
    one.messaging.subscribe(one.topic, options, ({ data }) => {
      if (data === "bad") throw new Error("broken");
      got.push(data);
    });
    await one.start();
    await one.send("bad", { key: "same" });
    await one.send("good", { key: "same" });
    await until("the next of the key", () => got.length === 1);
    assert.deepEqual(got, ["good"]);
  },
  "different keys run concurrently": async (fixture) => {
    await using one = new TestApp(fixture);
    const started = new Set<unknown>();
    const all = Promise.withResolvers<void>();
    one.messaging.subscribe(
      one.topic,
      { group: one.group, order: keyedOrder(fixture), concurrency: 5 },
      async ({ data }) => {
        started.add(data);
        if (started.size === 5) all.resolve();
        await all.promise;
      },
    );
    await one.start();
    for (let n = 0; n < 5; n++) await one.send(n, { key: `key-${n}` });
    await until("all to be done", () => one.messaging.status()[0]?.done === 5);
  },
  "at most `concurrency` handlers run": async (fixture) => {
    await using one = new TestApp(fixture);
    let running = 0;
    let maxRunning = 0;
    const three = Promise.withResolvers<void>(); // sends may be slower than handlers
    one.messaging.subscribe(one.topic, { group: one.group, concurrency: 3 }, async () => {
      maxRunning = Math.max(maxRunning, ++running);
      if (running === 3) three.resolve();
      await three.promise;
      await shortPause(3);
      running--;
    });
    await one.start();
    for (let n = 0; n < 20; n++) await one.send(n);
    await until("all to be done", () => one.messaging.status()[0]?.done === 20);
    assert.equal(maxRunning, 3);
  },
};
