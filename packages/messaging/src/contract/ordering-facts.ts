import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { Delivery } from "../port/delivery.ts";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { processOf, type TestConsumer, type TestProcess, textOf } from "./harness/test-process.ts";
import { until } from "./harness/until.ts";

/** Tests of groups and order. */
export const orderingFacts: PortFacts<BrokerFixture> = {
  "messages of a key are delivered in the order of one send": (fixture) =>
    expectOrdered(fixture, async (process, messages) => process.send(...messages)),
  "messages of a key are delivered in the order of successive sends": (fixture) =>
    expectOrdered(fixture, async (process, messages) => {
      for (const message of messages) await process.send(message);
    }),
  "messages of a key that two processes send alternately are delivered in order": async (fixture) => {
    await using other = processOf(fixture);
    await expectOrdered(fixture, async (process, messages) => {
      for (const [at, message] of messages.entries())
        await (at % 2 === 0 ? process : other).send({ ...message, topic: process.topic });
    });
  },
  "all messages of a partition are delivered in order": async (fixture) => {
    await using process = processOf(fixture);
    if (!process.capabilities.orders.includes("partition")) return; // refused at start
    await process.declare({ order: "partition" });
    for (let n = 0; n < 12; n++) await process.send({ key: "one", body: String(n) });
    const consumer = await process.consume({ order: "partition" });
    assert.deepEqual(await bodiesInTurn(consumer, 12), numbers(12));
  },
  "two groups each get every message": async (fixture) => {
    await using process = processOf(fixture);
    if (!process.capabilities.groups) return; // refused at start
    await process.declare({}, ["group", "other"]);
    const one = await process.consume();
    const other = await process.consume({ group: "other" });
    await process.send({ body: "1" }, { body: "2" });
    await one.done(...(await one.got(2)));
    await other.done(...(await other.got(2)));
    assert.deepEqual(
      [one.sink.bodies.toSorted(), other.sink.bodies.toSorted()],
      [
        ["1", "2"],
        ["1", "2"],
      ],
    );
  },
  "consumers of one group share the messages, each once": async (fixture) => {
    await using one = processOf(fixture);
    await using other = processOf(fixture);
    await one.declare();
    const consumers = [await one.consume(), await other.consume()];
    await one.send(...Array.from({ length: 40 }, (_, n) => ({ body: String(n), key: String(n) })));
    const all = (): string[] => consumers.flatMap(({ sink }) => sink.bodies);
    await until("all messages", () => new Set(all()).size === 40);
    for (const { done, sink } of consumers) await done(...lastOfPartitions(sink.deliveries));
    assert.equal(all().length, 40);
  },
  "only one consumer of a group at a time has unsettled messages of a key": async (fixture) => {
    await using one = processOf(fixture);
    await using other = processOf(fixture);
    if (!one.capabilities.orders.includes("key")) return; // refused at start
    await one.declare({ order: "key" });
    const consumers = [await one.consume({ order: "key" }), await other.consume({ order: "key" })];
    await one.send(...numbers(10).map((body) => ({ key: "same", body })));
    const seen: string[] = [];
    const taken = new Set<Delivery>();
    while (seen.length < 10) {
      await until("a delivery", () =>
        consumers.some(({ sink }) => sink.deliveries.length > countOf(sink.deliveries, taken)),
      );
      const open = consumers.filter(({ sink }) => sink.deliveries.length > countOf(sink.deliveries, taken));
      assert.equal(open.length, 1, "both consumers hold messages of the key");
      for (const { sink, done } of open)
        for (const delivery of sink.deliveries.filter((each) => !taken.has(each))) {
          taken.add(delivery);
          seen.push(textOf(delivery.body));
          await done(delivery);
        }
    }
    assert.deepEqual(seen, numbers(10));
  },
  "different keys are delivered concurrently": async (fixture) => {
    await using process = processOf(fixture);
    if (!process.capabilities.orders.includes("key")) return; // refused at start
    await process.declare({ order: "key" });
    const { got, done } = await process.consume({ order: "key" });
    await process.send(...numbers(10).map((key) => ({ key, body: key })));
    await done(...lastOfPartitions(await got(10))); // none is settled before the last is delivered
  },
};

const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n));

const countOf = (deliveries: readonly Delivery[], taken: ReadonlySet<Delivery>): number =>
  deliveries.filter((each) => taken.has(each)).length;

/** Returns the deliveries that settle all: with cumulative settlement the last one of each partition. */
export const lastOfPartitions = (deliveries: readonly Delivery[]): readonly Delivery[] => {
  if (deliveries.some(({ offset }) => offset === null)) return deliveries;
  return [
    ...new Map(deliveries.map((delivery) => [`${delivery.topic} ${delivery.partition}`, delivery])).values(),
  ];
};

const expectOrdered = async (
  fixture: BrokerFixture,
  send: (
    process: TestProcess,
    messages: readonly { readonly key: string; readonly body: string }[],
  ) => Promise<void>,
): Promise<void> => {
  await using process = processOf(fixture);
  if (!process.capabilities.orders.includes("key")) return; // refused at start
  await process.declare({ order: "key" });
  await send(
    process,
    numbers(12).map((body) => ({ key: "same", body })),
  );
  const consumer = await process.consume({ order: "key" });
  assert.deepEqual(await bodiesInTurn(consumer, 12), numbers(12));
};

/** Settles deliveries one at a time, in order, and returns their bodies. */
export const bodiesInTurn = async (
  { sink, done }: TestConsumer,
  count: number,
): Promise<readonly string[]> => {
  for (let at = 0; at < count; at++) {
    await until(`delivery ${at + 1}`, () => sink.deliveries.length > at);
    const delivery = sink.deliveries[at];
    if (delivery !== undefined) await done(delivery);
  }
  return sink.bodies;
};
