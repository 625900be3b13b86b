import assert from "node:assert/strict";
import { type Invocation, key, UnauthorizedError } from "@framework/core";
import type { Authenticator } from "@framework/core/feature";
import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { fast, numbers } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { until } from "./harness/until.ts";

/** Tests of batch handlers. */
export const batchFacts: PortFacts<BrokerFixture> = {
  "a batch handler gets several messages and returns a verdict for each": async (fixture) => {
    await using one = new TestApp(fixture);
    const sizes: number[] = [];
    const tries = new Map<unknown, number>();
    const options = { group: one.group, retry: fast, batch: { size: 5, waitMs: 50 } };
    one.messaging.subscribeBatch(one.topic, options, (messages) => {
      sizes.push(messages.length);
      for (const { data } of messages) tries.set(data, (tries.get(data) ?? 0) + 1);
      return new Map(
        messages.map(
          ({ id, data }) => [id, data === 3 && tries.get(data) === 1 ? { retry: {} } : "ack"] as const,
        ),
      );
    });
    await one.start();
    await one.messaging.sendAll(
      one.topic,
      numbers(10).map((data) => ({ type: "n", data })),
    );
    await until("all to be done", () => one.messaging.status()[0]?.done === 10);
    assert.deepEqual([tries.get(2), tries.get(3)], [1, 2]);
    assert.ok(sizes.some((size) => size > 1) && sizes.every((size) => size <= 5));
  },
  "a message of a batch without a verdict is a failed try": async (fixture) => {
    await using one = new TestApp(fixture);
    const tries: number[] = [];
    const options = { group: one.group, retry: fast, batch: { size: 2 } };
    one.messaging.subscribeBatch(one.topic, options, (messages) => {
      tries.push(...messages.map(({ attempt }) => attempt));
      return new Map(messages.flatMap(({ id, attempt }) => (attempt < 3 ? [] : [[id, "ack"] as const])));
    });
    await one.start();
    await one.send(1);
    await until("the message to be done", () => one.messaging.status()[0]?.done === 1);
    assert.deepEqual(tries, [1, 2, 3]);
  },
  "a batch handler that throws fails every message of the batch": async (fixture) => {
    await using one = new TestApp(fixture);
    let calls = 0;
    const options = { group: one.group, retry: fast, batch: { size: 3, waitMs: 50 } };
    one.messaging.subscribeBatch(one.topic, options, (messages) => {
      if (++calls === 1) throw new Error("broken");
      return new Map(messages.map(({ id }) => [id, "ack"] as const));
    });
    await one.start();
    await one.messaging.sendAll(
      one.topic,
      numbers(3).map((data) => ({ type: "n", data })),
    );
    await until("all to be done", () => one.messaging.status()[0]?.done === 3);
    assert.ok(calls >= 2);
  },
  "a batch message from a rejected sender is a dead letter, and the others are handled": async (fixture) => {
    const topics = [`${fixture.prefix}-topic`, `${fixture.prefix}-dead`] as const;
    await using one = new TestApp(fixture, { topics });
    const got: unknown[] = [];
    const dead: string[] = [];
    const options = {
      group: one.group,
      retry: fast,
      batch: { size: 4, waitMs: 50 },
      deadLetter: topics[1],
      auth: senderOf,
      guards: [(invocation: Invocation) => invocation.context.get(Sender) !== "mallory"],
    };
    one.messaging.subscribe(
      topics[1],
      { group: `${one.group}-dead` },
      ({ headers }) =>
        void dead.push(`${headers["framework-dead-code"]} ${headers["framework-dead-message"]}`),
    );
    one.messaging.subscribeBatch(one.topic, options, (messages) => {
      got.push(...messages.map(({ data }) => data));
      return new Map(messages.map(({ id }) => [id, "ack"] as const));
    });
    await one.start();
    await one.messaging.sendAll(
      one.topic,
      [{}, { "x-sender": "alice" }, { "x-sender": "mallory" }].map((headers, data) => ({
        type: "n",
        data,
        headers,
      })),
    );
    await until("the dead letters", () => dead.length === 2);
    await until("the other message", () => got.length === 1);
    assert.deepEqual(got, [1]);
    assert.match(dead.toSorted().join(), /^MESSAGING_REJECTED .*401.*,MESSAGING_REJECTED .*403/);
  },
};

const Sender = key<string | undefined>("sender", undefined);

const senderOf: Authenticator = {
  identify({ headers, context }) {
    const name = headers.get("x-sender");
    if (name === null) throw new UnauthorizedError("there is no sender");
    context.set(Sender, name);
  },
};
