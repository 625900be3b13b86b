import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { bodiesInTurn, lastOfPartitions } from "./ordering-facts.ts";
import { processOf, textOf } from "./harness/test-process.ts";
import { shortPause } from "./harness/until.ts";

/** Tests of settling deliveries. */
export const settlingFacts: PortFacts<BrokerFixture> = {
  "a message that is done is not delivered again": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ body: '"first"' });
    const first = await process.consume();
    await first.done(...(await first.got(1)));
    await first.consumer.close();
    const second = await process.consume();
    await process.send({ body: '"second"' });
    await second.done(...(await second.got(1)));
    assert.deepEqual(second.sink.bodies, ['"second"']);
  },
  "unsettled messages are delivered again after a close": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ body: "1" }, { body: "2" });
    const first = await process.consume();
    await first.got(2);
    await first.consumer.close();
    const second = await process.consume();
    await second.done(...lastOfPartitions(await second.got(2)));
    assert.deepEqual(second.sink.bodies.toSorted(), ["1", "2"]);
  },
  "unsettled messages are delivered again to another process": async (fixture) => {
    await using sender = processOf(fixture);
    await sender.declare();
    await sender.send({ body: "1" });
    {
      await using holder = processOf(fixture);
      await (await holder.consume()).got(1);
    }
    await using other = processOf(fixture);
    const { got, done, sink } = await other.consume();
    await done(...(await got(1)));
    assert.deepEqual(sink.bodies, ["1"]);
  },
  "unsettled messages are delivered again in the order of their key": async (fixture) => {
    await using process = processOf(fixture);
    if (!process.capabilities.orders.includes("key")) return; // refused at start
    await process.declare({ order: "key" });
    await process.send(...["1", "2", "3"].map((body) => ({ key: "same", body })));
    const first = await process.consume({ order: "key" });
    await first.got(1);
    await first.consumer.close();
    const second = await process.consume({ order: "key" });
    await process.send({ key: "same", body: "4" });
    assert.deepEqual(await bodiesInTurn(second, 4), ["1", "2", "3", "4"]);
  },
  "only settled messages are done": async (fixture) => {
    await using process = processOf(fixture);
    if (process.capabilities.settlement !== "each") return; // the next test is for logs
    await process.declare();
    await process.send({ body: "1" }, { body: "2" }, { body: "3" });
    const first = await process.consume();
    const deliveries = await first.got(3);
    await first.done(...deliveries.filter(({ body }) => textOf(body) !== "2"));
    await first.consumer.close();
    const second = await process.consume();
    await second.done(...(await second.got(1)));
    await shortPause();
    assert.deepEqual(second.sink.bodies, ["2"]);
  },
  "settling an offset settles all earlier ones, and no later one": async (fixture) => {
    await using process = processOf(fixture);
    if (process.capabilities.settlement !== "cumulative") return;
    await process.declare();
    for (const body of ["1", "2", "3", "4"]) await process.send({ key: "same", body });
    const first = await process.consume();
    const third = (await first.got(4))[2];
    if (third !== undefined) await first.done(third);
    await first.consumer.close();
    const second = await process.consume();
    await second.done(...(await second.got(1)));
    await shortPause();
    assert.deepEqual(second.sink.bodies, ["4"]);
  },
  "offsets are decimal numbers that grow within a partition": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    for (let n = 0; n < 5; n++) await process.send({ key: "same", body: String(n) });
    const { got, done } = await process.consume();
    const deliveries = await got(5);
    if (process.capabilities.settlement === "cumulative") {
      assert.ok(
        deliveries.every(({ partition, offset }) => partition !== null && /^\d+$/.test(offset ?? "")),
      );
      const offsets = deliveries.map(({ offset }) => BigInt(offset ?? 0));
      assert.ok(offsets.every((offset, at) => at === 0 || offset > (offsets[at - 1] ?? 0n)));
    }
    await done(...lastOfPartitions(deliveries));
  },
  "a retry delivers the message again, only to its group": async (fixture) => {
    await using process = processOf(fixture);
    if (process.capabilities.settlement !== "each") return; // messaging holds it
    const groups = process.capabilities.groups ? ["group", "other"] : ["group"];
    await process.declare({}, groups);
    const { got, done, sink, consumer } = await process.consume();
    const other = process.capabilities.groups ? await process.consume({ group: "other" }) : null;
    await process.send({ body: "1" });
    const [delivery] = await got(1);
    assert.ok(delivery);
    assert.deepEqual(await consumer.settle([{ delivery, action: "retry", delayMs: 0, tries: 1 }]), []);
    await done(...(await got(2)).slice(1));
    assert.deepEqual(sink.bodies, ["1", "1"]);
    if (other === null) return;
    await other.done(...(await other.got(1)));
    await shortPause();
    assert.deepEqual(other.sink.bodies, ["1"]);
  },
  "a delayed retry is delivered, and not before its due time": async (fixture) => {
    await using process = processOf(fixture);
    if (process.capabilities.maxRetryDelayMs < 300) return; // messaging holds it
    await process.declare();
    const { got, done, consumer } = await process.consume();
    await process.send({});
    const [delivery] = await got(1);
    assert.ok(delivery);
    const from = performance.now();
    await consumer.settle([{ delivery, action: "retry", delayMs: 300, tries: 1 }]);
    const [, redelivery] = await got(2);
    assert.ok(performance.now() - from >= 290, `delivered after ${performance.now() - from} ms`);
    if (redelivery !== undefined) await done(redelivery);
  },
  "a message that waits for its retry does not block others": async (fixture) => {
    await using process = processOf(fixture);
    if (process.capabilities.maxRetryDelayMs < 800) return; // messaging holds it
    await process.declare();
    const { got, done, consumer, sink } = await process.consume();
    await process.send({ body: '"late"' });
    const [delivery] = await got(1);
    assert.ok(delivery);
    const from = performance.now();
    await consumer.settle([{ delivery, action: "retry", delayMs: 800, tries: 1 }]);
    await process.send({ body: '"next"' });
    await done(...(await got(2)).slice(1));
    // On a busy machine the retry may be due before the other message is sent.
    if (performance.now() - from < 800) assert.deepEqual(sink.bodies, ['"late"', '"next"']);
    await done(...(await got(3)).slice(2));
    assert.deepEqual(sink.bodies.toSorted(), ['"late"', '"late"', '"next"']);
  },
  "a retried message keeps body, headers, key and tries": async (fixture) => {
    await using process = processOf(fixture);
    if (process.capabilities.settlement !== "each") return; // messaging holds it
    await process.declare();
    const { got, done, consumer } = await process.consume();
    await process.send({ body: '{"a":1}', key: "k", headers: { "x-shelf": "a 7" } });
    const [delivery] = await got(1);
    assert.ok(delivery);
    await consumer.settle([{ delivery, action: "retry", delayMs: 0, tries: 4 }]);
    const [, redelivery] = await got(2);
    assert.ok(redelivery);
    assert.deepEqual(
      [textOf(redelivery.body), redelivery.key, redelivery.headers["x-shelf"]],
      ['{"a":1}', "k", "a 7"],
    );
    if (delivery.tries !== null) assert.deepEqual([delivery.tries, redelivery.tries], [0, 4]);
    if (delivery.deliveries !== null) assert.deepEqual([delivery.deliveries, redelivery.deliveries], [1, 2]);
    await done(redelivery);
  },
  "the first delivery is not marked as redelivered, and the number of deliveries does not decrease": async (
    fixture,
  ) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send({});
    const first = await process.consume();
    const [delivery] = await first.got(1);
    await first.consumer.close();
    const second = await process.consume();
    const [redelivery] = await second.got(1);
    assert.ok(delivery !== undefined && redelivery !== undefined);
    if (redelivery.deliveries !== null) assert.ok(redelivery.deliveries >= (delivery.deliveries ?? 1));
    assert.equal(delivery.isRedelivered, false);
    await second.done(redelivery);
  },
  "messages of a key wait while one of them waits for its retry": async (fixture) => {
    await using process = processOf(fixture);
    const { retryKeepsOrder, orders, maxRetryDelayMs } = process.capabilities;
    if (!retryKeepsOrder || !orders.includes("key") || maxRetryDelayMs < 300) return; // messaging holds it
    await process.declare({ order: "key" });
    const consumer = await process.consume({ order: "key", room: 1 });
    await process.send(...["1", "2", "3"].map((body) => ({ key: "same", body })));
    const [delivery] = await consumer.got(1);
    assert.ok(delivery);
    await consumer.consumer.settle([{ delivery, action: "retry", delayMs: 300, tries: 1 }]);
    consumer.sink.allow(10);
    for (let at = 1; at < 4; at++) {
      const following = (await consumer.got(at + 1))[at];
      if (following !== undefined) await consumer.done(following);
    }
    assert.deepEqual(consumer.sink.bodies, ["1", "1", "2", "3"]);
  },
  "a delivery that is not held is reported as lost": async (fixture) => {
    await using process = processOf(fixture);
    if (process.capabilities.settlement !== "each") return; // a log accepts any offset of an assigned partition
    await process.declare();
    await process.send({});
    const { got, done, consumer } = await process.consume();
    const [delivery] = await got(1);
    assert.ok(delivery);
    await done(delivery);
    assert.deepEqual(await consumer.settle([{ delivery, action: "done" }]), [delivery]);
  },
  "settling an empty list resolves": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const { consumer } = await process.consume();
    assert.deepEqual(await consumer.settle([]), []);
  },
  "deliveries can be settled after a stop": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ body: "1" });
    const first = await process.consume();
    const deliveries = await first.got(1);
    await first.consumer.stop();
    await first.done(...deliveries);
    await first.consumer.close();
    const second = await process.consume();
    await process.send({ body: "2" });
    await second.done(...(await second.got(1)));
    assert.deepEqual(second.sink.bodies, ["2"]);
  },
};
