import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { processOf, type TestProcess, textOf } from "./harness/test-process.ts";
import { shortPause, until } from "./harness/until.ts";

/** Tests of sending: content, confirmation, order, delay. */
export const sendingFacts: PortFacts<BrokerFixture> = {
  "a sent message is delivered with its topic, body and headers": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ body: '{"title":"Emma"}', headers: { "x-shelf": "a 7" } });
    const { got, done } = await process.consume();
    const [delivery] = await got(1);
    assert.ok(delivery);
    assert.equal(delivery.topic, process.topic);
    assert.equal(textOf(delivery.body), '{"title":"Emma"}');
    assert.equal(delivery.headers["x-shelf"], "a 7");
    assert.equal(delivery.headers["content-type"], "application/json");
    await done(delivery);
  },
  "the key of a message is delivered, null for none": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ key: "k 1/ä" }, { key: null });
    const { got, done } = await process.consume();
    const deliveries = await got(2);
    assert.deepEqual(new Set(deliveries.map(({ key }) => key)), new Set(["k 1/ä", null]));
    await done(...deliveries);
  },
  "text of any script is delivered unchanged": (fixture) =>
    roundTrip(fixture, JSON.stringify("Ünï — 漢字 🙂 \u2028 \"'\\")),
  "an empty object is delivered unchanged": (fixture) => roundTrip(fixture, "{}"),
  "JSON that is not an object is delivered unchanged": (fixture) => roundTrip(fixture, '[1.0,"2",null]'),
  "numbers keep every digit": (fixture) => roundTrip(fixture, '{"n":12345678901234567890.10,"e":1e400}'),
  "members with names of a prototype are delivered unchanged": (fixture) =>
    roundTrip(fixture, '{"__proto__":{"a":1},"constructor":2,"toString":null}'),
  "white space and the order of members are kept": (fixture) => roundTrip(fixture, '{ "b" : 1,\n "a" : 2 }'),
  "bytes that are not UTF-8 are delivered unchanged": async (fixture) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ body: bytes, headers: { "content-type": "application/octet-stream" } });
    const { got, done } = await process.consume();
    const [delivery] = await got(1);
    assert.ok(delivery !== undefined && typeof delivery.body !== "string");
    assert.deepEqual([...delivery.body], [...bytes]);
    await done(delivery);
  },
  "header values keep quotes, commas, equals signs and other scripts": async (fixture) => {
    const value = `a=1,b="2";c='3' ${"é".repeat(20)} 漢字`;
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ headers: { "x-value": value, "x-empty-like": "0" } });
    const { got, done } = await process.consume();
    const [delivery] = await got(1);
    assert.equal(delivery?.headers["x-value"], value);
    assert.equal(delivery?.headers["x-empty-like"], "0");
    if (delivery !== undefined) await done(delivery);
  },
  "header names that are members of every object are data": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ headers: { constructor: "c", tostring: "t" } });
    const { got, done } = await process.consume();
    const [delivery] = await got(1);
    assert.equal(delivery?.headers["constructor"], "c");
    assert.equal(delivery?.headers["tostring"], "t");
    assert.equal(delivery?.headers["valueOf"], undefined);
    if (delivery !== undefined) await done(delivery);
  },
  "the trace context is delivered": async (fixture) => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ headers: { traceparent, tracestate: "a=b,c=d", baggage: "user=7" } });
    const { got, done } = await process.consume();
    const [delivery] = await got(1);
    assert.equal(delivery?.headers["traceparent"], traceparent);
    assert.equal(delivery?.headers["tracestate"], "a=b,c=d");
    if (delivery !== undefined) await done(delivery);
  },
  "a large body is delivered unchanged": async (fixture) => {
    await using process = processOf(fixture);
    const size = Math.min(process.capabilities.maxBodyBytes, 1_000_000) - 1000;
    await roundTripIn(process, JSON.stringify("x".repeat(size)));
  },
  "every message of a list is confirmed and delivered": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    const messages = Array.from({ length: 25 }, (_, n) => process.message({ body: String(n) }));
    const results = await process.broker.producer.send(messages, { signal: AbortSignal.timeout(60_000) });
    assert.equal(results.length, 25);
    assert.ok(results.every(({ ok }) => ok));
    const { got, done, sink } = await process.consume();
    await done(...(await got(25)));
    assert.equal(new Set(sink.bodies).size, 25);
  },
  "sending an empty list resolves": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    assert.deepEqual(await process.broker.producer.send([], { signal: AbortSignal.timeout(60_000) }), []);
  },
  "concurrent sends are all confirmed and delivered": async (fixture) => {
    await using process = processOf(fixture);
    await process.declare();
    await Promise.all(Array.from({ length: 20 }, (_, n) => process.send({ body: String(n) })));
    const { got, done, sink } = await process.consume();
    await done(...(await got(20)));
    assert.equal(new Set(sink.bodies).size, 20);
  },
  "a message that was confirmed before there was a consumer is delivered to the first group": async (
    fixture,
  ) => {
    await using process = processOf(fixture);
    await process.declare();
    await process.send({ body: '"early"' });
    await shortPause();
    const { got, done } = await process.consume();
    const [delivery] = await got(1);
    assert.equal(delivery && textOf(delivery.body), '"early"');
    if (delivery !== undefined) await done(delivery);
  },
  "messages that one process sent are delivered to another": async (fixture) => {
    await using sender = processOf(fixture);
    await using receiver = processOf(fixture);
    await receiver.declare();
    const { got, done, sink } = await receiver.consume();
    await sender.send({ body: "1" }, { body: "2" });
    await done(...(await got(2)));
    assert.deepEqual(sink.bodies.toSorted(), ["1", "2"]);
  },
  "messages of one topic are not delivered in another": async (fixture) => {
    await using process = processOf(fixture);
    const other = `${process.topic}-other`;
    await process.declare();
    await process.declare({ topics: [other] });
    const { sink, got, done } = await process.consume();
    await process.send({ topic: other, body: '"other"' });
    await process.send({ body: '"own"' });
    await done(...(await got(1)));
    await shortPause();
    assert.deepEqual(sink.bodies, ['"own"']);
  },
  "a delayed message is delivered, and not before its due time": async (fixture) => {
    await using process = processOf(fixture);
    if (process.capabilities.maxDelayMs === 0) return; // messaging holds it
    await process.declare();
    const { got, done } = await process.consume();
    const from = performance.now();
    await process.send({ delayMs: 300 });
    const [delivery] = await got(1);
    assert.ok(performance.now() - from >= 290, `delivered after ${performance.now() - from} ms`);
    if (delivery !== undefined) await done(delivery);
  },
  "a delayed message does not block others": async (fixture) => {
    await using process = processOf(fixture);
    if (process.capabilities.maxDelayMs === 0) return; // messaging holds it
    await process.declare();
    const { got, done, sink } = await process.consume();
    const from = performance.now();
    await process.send({ delayMs: 800, body: '"late"' });
    await process.send({ body: '"now"' });
    await done(...(await got(1)).slice(0, 1));
    // On a busy machine the delayed message may be due before the other is sent.
    if (performance.now() - from < 800) assert.equal(sink.bodies[0], '"now"');
    await until("the delayed message", () => sink.deliveries.length === 2);
    await done(...sink.deliveries.slice(1));
    assert.deepEqual(sink.bodies.toSorted(), ['"late"', '"now"']);
  },
};

const roundTrip = async (fixture: BrokerFixture, body: string): Promise<void> => {
  await using process = processOf(fixture);
  await roundTripIn(process, body);
};

const roundTripIn = async (process: TestProcess, body: string): Promise<void> => {
  await process.declare();
  await process.send({ body });
  const { got, done } = await process.consume();
  const [delivery] = await got(1);
  assert.ok(delivery);
  assert.equal(textOf(delivery.body), body);
  await done(delivery);
};
