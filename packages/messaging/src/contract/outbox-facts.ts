import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { keyedOrder } from "./harness/keyed-order.ts";
import { numbers } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { shortPause, until } from "./harness/until.ts";

/** Tests of messages that are sent in a transaction of the app's database. */
export const outboxFacts: PortFacts<BrokerFixture> = {
  "a message with `tx` is delivered after the commit": async (fixture) => {
    await using one = new TestApp(fixture, { outbox: true });
    const got: unknown[] = [];
    one.messaging.subscribe(one.topic, { group: one.group }, ({ id, key, data, headers }) => {
      got.push([id, key, data, headers["x-shelf"]]);
    });
    await one.start();
    await one.app.db.transaction(async (tx) => {
      const message = { type: "t", id: "a", key: "k", data: { n: 1 }, headers: { "x-shelf": "7" } };
      assert.equal((await one.messaging.send(one.topic, message, { tx })).id, "a");
      await shortPause(30);
      assert.equal(got.length, 0);
    });
    await until("the message", () => got.length === 1);
    assert.equal(JSON.stringify(got), '[["a","k",{"n":1},"7"]]');
  },
  "a message of a rolled-back transaction is never delivered": async (fixture) => {
    await using one = new TestApp(fixture, { outbox: true });
    const got: unknown[] = [];
    one.messaging.subscribe(one.topic, { group: one.group }, ({ data }) => void got.push(data));
    await one.start();
    const rollback = one.app.db.transaction(async (tx) => {
      await one.messaging.send(one.topic, { type: "t", data: "undone" }, { tx });
      throw new Error("no");
    });
    await assert.rejects(rollback);
    await one.send("sent");
    await until("the message", () => got.length === 1);
    await shortPause();
    assert.equal(JSON.stringify(got), '["sent"]');
  },
  "messages of one key sent in transactions are delivered in the order of the commits": async (fixture) => {
    if (keyedOrder(fixture) === "none") return; // refused at start
    await using one = new TestApp(fixture, { outbox: true });
    const got = new Set<unknown>(); // the outbox may send a message twice if its confirmation is late
    one.messaging.subscribe(one.topic, { group: one.group, order: "key" }, ({ data }) => void got.add(data));
    await one.start();
    for (let n = 0; n < 12; n += 3)
      await one.app.db.transaction(async (tx) => {
        const messages = [n, n + 1, n + 2].map((data) => ({ type: "t", key: "same", data }));
        await one.messaging.sendAll(one.topic, messages, { tx });
      });
    await until("all messages", () => got.size === 12);
    assert.equal(JSON.stringify([...got]), JSON.stringify(numbers(12)));
  },
  "messages of many concurrent transactions are delivered, each once": async (fixture) => {
    await using one = new TestApp(fixture, { outbox: true });
    const got: unknown[] = [];
    one.messaging.subscribe(one.topic, { group: one.group }, ({ data }) => void got.push(data));
    await one.start();
    await Promise.all(
      numbers(25).map((data) =>
        one.app.db.transaction(
          async (tx) => void (await one.messaging.send(one.topic, { type: "t", data }, { tx })),
        ),
      ),
    );
    await until("all messages", () => got.length >= 25);
    await shortPause();
    assert.equal(got.length, 25);
    assert.equal(new Set(got).size, 25);
  },
};
