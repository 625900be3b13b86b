import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { fast, numbers, once } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { until } from "./harness/until.ts";

/** Tests of requests and their replies. */
export const requestFacts: PortFacts<BrokerFixture> = {
  "a request resolves with the return value of its handler": async (fixture) => {
    await using one = new TestApp(fixture);
    if (isRefused(fixture)) return;
    one.messaging.subscribe(one.topic, { group: one.group }, ({ data }) => ({
      doubled: (data as number) * 2,
    }));
    await one.start();
    const reply = await one.messaging.request(one.topic, { type: "double", data: 21 }, { timeoutMs: 60_000 });
    assert.equal(JSON.stringify(reply), '{"doubled":42}');
  },
  "a request of one process receives its reply from another": async (fixture) => {
    await using one = new TestApp(fixture);
    await using other = new TestApp(fixture);
    if (isRefused(fixture)) return;
    other.messaging.subscribe(other.topic, { group: other.group }, ({ data }) => [data]);
    await one.start();
    await other.start();
    const replies = await Promise.all(
      numbers(10).map((data) => one.messaging.request(one.topic, { type: "t", data }, { timeoutMs: 60_000 })),
    );
    assert.equal(JSON.stringify(replies), JSON.stringify(numbers(10).map((n) => [n])));
  },
  "with the inbox, a request resolves with the return value of its handler after the commit": async (
    fixture,
  ) => {
    await using one = new TestApp(fixture);
    if (isRefused(fixture)) return;
    const table = `effects_${one.topic.replaceAll("-", "_")}`;
    one.messaging.subscribe(one.topic, { group: one.group, dedupe: "inbox" }, async ({ id }, { tx }) => {
      await tx.execute(`INSERT INTO ${table} (message) VALUES ($1)`, [id]);
      return { stored: id };
    });
    await one.start();
    await one.createEffects();
    const reply = await one.messaging.request(one.topic, { type: "t", id: "a" }, { timeoutMs: 60_000 });
    assert.equal(JSON.stringify(reply), '{"stored":"a"}');
    assert.equal(await one.app.db.fetchValue(`SELECT message FROM ${table}`), "a");
    await until("its message to be done", () => one.messaging.status()[0]?.done === 1);
    assert.equal(one.messaging.status()[0]?.retries, 0);
  },
  "a request without a reply fails after its timeout": async (fixture) => {
    await using one = new TestApp(fixture, { drainMs: 10 }); // the handler ends only when the drain aborts it
    if (isRefused(fixture)) return;
    one.messaging.subscribe(one.topic, { group: one.group }, async ({ signal }) => {
      const { promise, reject } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      await promise;
    });
    await one.start();
    const pending = one.messaging.request(one.topic, { type: "t" }, { timeoutMs: 100 });
    await assert.rejects(pending, { code: "MESSAGING_NO_REPLY", status: 504 });
  },
  "a request whose message becomes a dead letter fails": async (fixture) => {
    await using one = new TestApp(fixture);
    if (isRefused(fixture)) return;
    one.messaging.subscribe(one.topic, { group: one.group, retry: once, deadLetter: "parked" }, () => {
      throw new Error("secret");
    });
    await one.start();
    const pending = one.messaging.request(one.topic, { type: "t" }, { timeoutMs: 60_000 });
    await assert.rejects(pending, { code: "MESSAGING_REQUEST_FAILED", status: 502 });
  },
  "a request whose reply is not JSON data fails, and its handler runs once": async (fixture) => {
    await using one = new TestApp(fixture);
    if (isRefused(fixture)) return;
    let calls = 0;
    one.messaging.subscribe(one.topic, { group: one.group, retry: fast }, () => BigInt(++calls));
    await one.start();
    const pending = one.messaging.request(one.topic, { type: "t" }, { timeoutMs: 60_000 });
    await assert.rejects(pending, { code: "MESSAGING_REQUEST_FAILED", status: 502 });
    await until("its message to be done", () => one.messaging.status()[0]?.done === 1);
    assert.equal(calls, 1);
  },
};

/** Whether the broker refuses requests, because it has no private topics. */
const isRefused = (fixture: BrokerFixture): boolean => !fixture.adapter().capabilities.privateTopics;
