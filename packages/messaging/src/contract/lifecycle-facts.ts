import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { lastOfPartitions } from "./ordering-facts.ts";
import { processOf, textOf } from "./harness/test-process.ts";
import { shortPause, until } from "./harness/until.ts";

/** Tests of the lifecycle of consumers: room, pause, stop, states, health. */
export const lifecycleFacts: PortFacts<BrokerFixture> = {
  "a consumer delivers no more than there is room for": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send(...Array.from({ length: 30 }, (_, n) => ({ body: String(n) })));
    const { got, done, sink } = await process.consume({ room: 5, prefetch: 5 });
    await got(5);
    await shortPause();
    assert.deepEqual([sink.deliveries.length, sink.excess], [5, 0]);
    await done(...lastOfPartitions(sink.deliveries));
  },
  "a consumer continues when there is room again": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send(...Array.from({ length: 12 }, (_, n) => ({ body: String(n) })));
    const { got, done, sink } = await process.consume({ room: 4, prefetch: 4 });
    for (let total = 4; total <= 12; total += 4) {
      const deliveries = (await got(total)).slice(total - 4);
      await done(...lastOfPartitions(deliveries));
      sink.allow(4);
    }
    assert.equal(new Set(sink.bodies).size, 12);
    assert.equal(sink.excess, 0);
  },
  "a paused consumer delivers nothing until it is resumed": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const { got, done, sink, consumer } = await process.consume();
    await process.send({ body: "1" });
    await done(...(await got(1)));
    consumer.pause();
    await shortPause(300); // a pending request may still return messages
    await process.send({ body: "2" });
    await shortPause(300);
    assert.equal(sink.deliveries.length, 1);
    consumer.resume();
    await done(...(await got(2)).slice(1));
    assert.deepEqual(sink.bodies, ["1", "2"]);
  },
  "deliveries can be settled while the consumer is paused": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ body: "1" });
    const first = await process.consume();
    const deliveries = await first.got(1);
    first.consumer.pause();
    await first.done(...deliveries);
    await first.consumer.close();
    const second = await process.consume();
    await process.send({ body: "2" });
    await second.done(...(await second.got(1)));
    assert.deepEqual(second.sink.bodies, ["2"]);
  },
  "a stopped consumer delivers nothing": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const { sink, consumer } = await process.consume();
    await consumer.stop();
    await process.send({ body: "1" });
    await shortPause(200);
    assert.equal(sink.deliveries.length, 0);
  },
  "stop and close may be called again": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const { consumer } = await process.consume();
    await consumer.stop();
    await consumer.stop();
    await consumer.close();
    await consumer.close();
  },
  "a consumer that never started can be closed": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const { sink } = await process.consume();
    const consumer = process.broker.consumer({
      topics: [process.topic],
      pattern: null,
      group: `${fixture.prefix}-idle`,
      order: "none",
      prefetch: 1,
      from: "earliest",
      isPrivate: false,
      timeoutMs: 1000,
      sink,
    });
    await consumer.close();
  },
  "the consumer reports when it runs and when it is closed": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const { sink, consumer } = await process.consume();
    assert.ok(sink.states.includes("running"));
    await consumer.close();
    assert.equal(sink.states.at(-1), "closed");
  },
  "a consumer receives messages that are sent while it runs": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const { got, done, sink } = await process.consume();
    for (let n = 1; n <= 5; n++) {
      await process.send({ body: String(n) });
      await done(...(await got(n)).slice(n - 1));
    }
    assert.deepEqual(sink.bodies, ["1", "2", "3", "4", "5"]);
  },
  "the lag is the number of waiting messages, if the broker knows it": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const { got, done, consumer, sink } = await process.consume({ room: 1, prefetch: 1 });
    await process.send(...Array.from({ length: 6 }, () => ({ key: "same" })));
    await got(1);
    if ((await consumer.lag()) === null) return;
    await until("a lag of about 5", async () => [5, 6].includes((await consumer.lag()) ?? -1));
    sink.allow(5);
    for (let count = 1; count <= 6; count++) {
      const delivery = (await got(count))[count - 1]; // a push broker delivers at most `prefetch` unsettled messages
      if (delivery !== undefined) await done(delivery);
    }
    await until("no lag", async () => (await consumer.lag()) === 0);
  },
  "due messages that a consumer does not fetch are overdue": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const { got, done, consumer } = await process.consume();
    await process.send({ body: "1" });
    await done(...(await got(1)));
    consumer.pause();
    await shortPause(300); // a pending request may still return messages
    await process.send({ body: "2" }, { body: "3" });
    await until("two overdue messages", async () => (await consumer.overdue()) === 2);
    consumer.resume();
    await done(...(await got(3)).slice(1));
    await until("none overdue", async () => (await consumer.overdue()) === 0);
  },
  "a delayed message is not overdue": async (fixture) => {
    await using process = processOf(fixture);
    const { maxDelayMs } = process.capabilities;
    if (maxDelayMs === 0) return;
    await process.declare();
    const { sink, consumer } = await process.consume();
    await process.send({ delayMs: Math.min(maxDelayMs, 600_000) });
    await shortPause(300);
    assert.deepEqual([await consumer.overdue(), sink.deliveries.length], [0, 0]);
  },
  "messages of a key are not overdue while another consumer holds an earlier one": async (fixture) => {
    await using active = processOf(fixture);
    await using other = processOf(fixture);
    const order = "key";
    if (!active.capabilities.orders.includes(order)) return;
    await active.declare({ order });
    const first = await active.consume({ order, room: 1, prefetch: 1 });
    await active.send({ key: "same" }, { key: "same" }, { key: "same" });
    await first.got(1);
    const second = await other.consume({ order });
    await shortPause(300);
    assert.equal(await second.consumer.overdue(), 0);
  },
  "the health check of a working broker resolves": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    assert.equal(typeof (await process.broker.health(AbortSignal.timeout(60_000))), "object");
  },
  "a created topology is verified without problems, and may be created again": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.declare();
    const subscriptions = [
      {
        topics: [process.topic],
        group: `${fixture.prefix}-group`,
        order: "none" as const,
        from: "earliest" as const,
        deadLetterTopic: null,
        retryTopics: [],
        maxTries: 7,
      },
    ];
    const problems = await process.broker.topology({ topics: [process.topic], subscriptions }, "verify");
    assert.deepEqual([...problems], []);
  },
  "a process receives messages of its private topic, if the broker supports them": async (fixture) => {
    await using process = processOf(fixture);
    if (!process.capabilities.privateTopics) return; // replies are refused
    await using sender = processOf(fixture);
    const own = `${process.topic}-own`;
    const { got, done } = await process.consume({
      topics: [own],
      isPrivate: true,
      group: "own",
      from: "latest",
    });
    await sender.send({ topic: own, body: '"reply"' });
    const [delivery] = await got(1);
    assert.equal(delivery && textOf(delivery.body), '"reply"');
    if (delivery !== undefined) await done(delivery);
  },
  "after one of its consumers has closed, a broker still sends and consumes": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const first = await process.consume();
    await first.consumer.close();
    await process.send({ body: "1" });
    const { got, done } = await process.consume();
    await done(...(await got(1)));
  },
};
