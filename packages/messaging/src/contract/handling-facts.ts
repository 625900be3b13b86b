import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { Message } from "../message/message.ts";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { acceptAll, fast } from "./harness/poison-messages.ts";
import { takeItems } from "./harness/take-items.ts";
import { TestApp } from "./harness/test-app.ts";
import { shortPause, until } from "./harness/until.ts";

/** Tests of handlers: messages, acknowledgement, tries, middleware. */
export const handlingFacts: PortFacts<BrokerFixture> = {
  "a handler receives the event that was sent": async (fixture) => {
    await using one = new TestApp(fixture, { source: "/shop" });
    const got: Message[] = [];
    one.messaging.subscribe(one.topic, { group: one.group }, (message) => void got.push(message));
    await one.start();
    await one.messaging.send(one.topic, {
      type: "book.created",
      id: "event-1",
      key: "7",
      subject: "books/7",
      time: new Date("2030-01-02T03:04:05Z"),
      data: { title: "Emma", pages: 474 },
      headers: { "X-Shelf": "a" },
    });
    await until("the message", () => got.length === 1);
    const [message] = got;
    assert.ok(message);
    const { id, type, source, subject, time, key, data, headers, attempt, meta } = message;
    assert.deepEqual(
      [id, type, source, subject, time, key, attempt],
      ["event-1", "book.created", "/shop", "books/7", "2030-01-02T03:04:05.000Z", "7", 1],
    );
    assert.deepEqual(JSON.parse(JSON.stringify(data)), { title: "Emma", pages: 474 });
    assert.equal(headers["x-shelf"], "a");
    assert.deepEqual([meta.topic, meta.group], [one.topic, one.group]);
  },
  "data of the maximum depth is handled, and deeper data is refused": async (fixture) => {
    await using one = new TestApp(fixture);
    const got: unknown[] = [];
    one.messaging.subscribe(one.topic, { group: one.group }, ({ data }) => void got.push(data));
    await one.start();
    const deep: unknown = JSON.parse("[".repeat(128) + "]".repeat(128));
    await one.send(deep);
    await until("the message", () => got.length === 1);
    assert.equal(JSON.stringify(got[0]), JSON.stringify(deep));
    await assert.rejects(one.send([deep]), { code: "MESSAGING_BAD_MESSAGE" });
  },
  "each try receives the original data, even if an earlier try changed it": async (fixture) => {
    await using one = new TestApp(fixture);
    const got: unknown[] = [];
    one.messaging.subscribe(one.topic, { group: one.group, retry: fast }, ({ data, attempt }) => {
      for (const item of takeItems(data)) got.push(`${item} ${attempt}`);
      if (attempt === 1) throw new Error("not yet");
    });
    await one.start();
    await one.send({ items: ["a", "b"] });
    await until("the message to be done", () => one.messaging.status()[0]?.done === 1);
    assert.deepEqual(got, ["a 1", "b 1", "a 2", "b 2"]);
  },
  "a message whose handler returned is done": async (fixture) => {
    const got: unknown[] = [];
    {
      await using one = new TestApp(fixture);
      one.messaging.subscribe(one.topic, { group: one.group }, ({ data }) => void got.push(data));
      await one.start();
      await one.send(1);
      await until("the message", () => got.length === 1);
    }
    await using second = new TestApp(fixture);
    second.messaging.subscribe(second.topic, { group: second.group }, ({ data }) => void got.push(data));
    await second.start();
    await second.send(2);
    await until("the second message", () => got.length === 2);
    assert.deepEqual(got, [1, 2]);
  },
  "a handler that throws receives the message again, with the number of the try": async (fixture) => {
    await using one = new TestApp(fixture);
    const tries: number[] = [];
    one.messaging.subscribe(one.topic, { group: one.group, retry: fast }, ({ attempt }) => {
      tries.push(attempt);
      if (tries.length < 4) throw new Error("not yet");
    });
    await one.start();
    await one.send(1);
    await until("the fourth try", () => tries.length === 4);
    await shortPause();
    assert.deepEqual(tries, [1, 2, 3, 4]);
  },
  "an unknown type can be acknowledged": async (fixture) => {
    await using one = new TestApp(fixture);
    const got: string[] = [];
    one.messaging.subscribe(
      one.topic,
      { group: one.group, schema: { known: acceptAll }, onUnknown: "ack" },
      ({ type }) => void got.push(type),
    );
    await one.start();
    await one.send(1, { type: "unknown" });
    await one.send(2, { type: "known" });
    await until("the known type", () => got.length === 1);
    await until("both to be done", () => one.messaging.status()[0]?.done === 2);
    assert.deepEqual(got, ["known"]);
  },
  "a handler receives the schema's output": async (fixture) => {
    await using one = new TestApp(fixture);
    const got: unknown[] = [];
    const schema = {
      "~standard": { ...acceptAll["~standard"], validate: (value: unknown) => ({ value: [value] }) },
    };
    one.messaging.subscribe(one.topic, { group: one.group, schema }, ({ data }) => void got.push(data));
    await one.start();
    await one.send("x");
    await until("the message", () => got.length === 1);
    assert.deepEqual(JSON.parse(JSON.stringify(got)), [["x"]]);
  },
  "retry requests another try": async (fixture) => {
    await using one = new TestApp(fixture);
    const tries: number[] = [];
    one.messaging.subscribe(one.topic, { group: one.group, retry: fast }, ({ attempt }, context) => {
      tries.push(attempt);
      if (attempt < 3) context.retry({ delayMs: 5 });
    });
    await one.start();
    await one.send(1);
    await until("the third try", () => tries.length === 3);
    assert.deepEqual(tries, [1, 2, 3]);
  },
  "with manual acknowledgement, ack ends the message": async (fixture) => {
    await using one = new TestApp(fixture);
    let tries = 0;
    one.messaging.subscribe(
      one.topic,
      { group: one.group, ack: "manual", retry: fast },
      async (_, context) => {
        tries++;
        await Promise.resolve();
        context.ack();
      },
    );
    await one.start();
    await one.send(1);
    await until("the message", () => one.messaging.status()[0]?.done === 1);
    await shortPause();
    assert.equal(tries, 1);
  },
  "a delayed message is handled, and not before its due time": async (fixture) => {
    await using one = new TestApp(fixture);
    let at = 0;
    one.messaging.subscribe(one.topic, { group: one.group }, () => void (at = performance.now()));
    await one.start();
    const from = performance.now();
    await one.messaging.send(one.topic, { type: "later", data: 1 }, { delayMs: 300 });
    await until("the message", () => at > 0);
    assert.ok(at - from >= 290, `handled after ${at - from} ms`);
  },
  "a message that has expired is acknowledged without a handler": async (fixture) => {
    await using one = new TestApp(fixture);
    const got: unknown[] = [];
    one.messaging.subscribe(one.topic, { group: one.group }, ({ data }) => void got.push(data));
    await one.start();
    await one.messaging.send(one.topic, { type: "old", data: "old" }, { delayMs: 200, ttlMs: 1 });
    await one.send("new");
    await until("both to be done", () => one.messaging.status()[0]?.done === 2);
    assert.deepEqual(got, ["new"]);
  },
  "a middleware sees every message and its outcome": async (fixture) => {
    await using one = new TestApp(fixture);
    const seen: string[] = [];
    one.messaging.use(async (message, next) => {
      const outcome = await next(message);
      seen.push(`${message.attempt} ${outcome.kind}`);
      return outcome;
    });
    one.messaging.subscribe(one.topic, { group: one.group, retry: fast }, ({ attempt }) => {
      if (attempt === 1) throw new Error("not yet");
    });
    await one.start();
    await one.send(1);
    await until("two tries", () => seen.length === 2);
    assert.deepEqual(seen, ["1 retry", "2 done"]);
  },
};
