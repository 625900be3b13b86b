import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { Message } from "../message/message.ts";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { TestApp } from "./harness/test-app.ts";
import { processOf } from "./harness/test-process.ts";
import { shortPause, until } from "./harness/until.ts";

const structured = { "content-type": "application/cloudevents+json" };
const attributes = { specversion: "1.0", id: "1", type: "external", source: "/elsewhere" };
const binary = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce_${name}`, value]));

/** Tests of messages of other systems: both modes of CloudEvents, other JSON, and malicious messages. */
export const externalMessageFacts: PortFacts<BrokerFixture> = {
  "a structured event of another system is handled": async (fixture) => {
    const message = await sendAndHandle(fixture, {
      headers: structured,
      body: JSON.stringify({ ...attributes, data: { a: 1 } }),
    });
    assert.equal(
      JSON.stringify([message.id, message.type, message.source, message.data]),
      '["1","external","/elsewhere",{"a":1}]',
    );
  },
  "a binary event of another system is handled": async (fixture) => {
    const message = await sendAndHandle(fixture, {
      headers: { ...binary, "content-type": "application/json" },
      body: '{"a":1}',
    });
    assert.equal(
      JSON.stringify([message.id, message.type, message.source, message.data]),
      '["1","external","/elsewhere",{"a":1}]',
    );
  },
  "other JSON is handled if the subscription accepts it": async (fixture) => {
    const headers = { "content-type": "application/json", "message-id": "m-1" };
    const message = await sendAndHandle(fixture, { headers, body: '{"a":1}' }, { raw: true });
    assert.equal(message.id, "m-1");
    assert.equal(JSON.stringify(message.data), '{"a":1}');
  },
  "data that is not JSON is handled as bytes": async (fixture) => {
    const message = await sendAndHandle(fixture, {
      headers: { ...binary, "content-type": "application/octet-stream" },
      body: Uint8Array.of(0, 255, 254),
    });
    assert.equal(JSON.stringify(Array.from(message.data as Uint8Array)), "[0,255,254]");
  },
  "a message without attributes is a dead letter": (fixture) =>
    expectDeadLetter(fixture, { headers: { "content-type": "application/json" }, body: "{}" }),
  "text that is not JSON is a dead letter": (fixture) =>
    expectDeadLetter(fixture, { headers: structured, body: Uint8Array.from(Buffer.from("{")) }),
  "bytes that are not UTF-8 are a dead letter": (fixture) =>
    expectDeadLetter(fixture, { headers: structured, body: Uint8Array.of(0x7b, 0xff) }),
  "JSON of 100,000 levels is a dead letter": (fixture) =>
    expectDeadLetter(fixture, { headers: structured, body: "[".repeat(100_000) + "]".repeat(100_000) }),
  "an event with a long id is a dead letter": (fixture) =>
    expectDeadLetter(fixture, {
      headers: structured,
      body: JSON.stringify({ ...attributes, id: "x".repeat(2000) }),
    }),
  "an event with attributes in the prototype is a dead letter": (fixture) =>
    expectDeadLetter(fixture, { headers: structured, body: `{"__proto__":${JSON.stringify(attributes)}}` }),
  "a body above the size limit is a dead letter": (fixture) =>
    expectDeadLetter(
      fixture,
      { headers: structured, body: JSON.stringify({ ...attributes, data: "x".repeat(5000) }) },
      "MESSAGING_TOO_LARGE",
    ),
};

interface ExternalMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Sends a message without an app and returns the message that the handler receives. */
const sendAndHandle = async (
  fixture: BrokerFixture,
  message: ExternalMessage,
  options: { readonly raw?: boolean } = {},
): Promise<Message> => {
  await using one = new TestApp(fixture);
  await using sender = processOf(fixture);
  const got: Message[] = [];
  one.messaging.subscribe(one.topic, { group: one.group, ...options }, (each) => void got.push(each));
  await one.start();
  await sender.send(message);
  await until("the message", () => got.length === 1);
  const [first] = got;
  assert.ok(first);
  return first;
};

/** Sends an invalid message between two valid ones, and expects that it is parked and that the others are handled. */
const expectDeadLetter = async (
  fixture: BrokerFixture,
  message: ExternalMessage,
  code = "MESSAGING_UNDECODABLE",
): Promise<void> => {
  await using one = new TestApp(fixture, {
    maxMessageBytes: 4096 * (code === "MESSAGING_TOO_LARGE" ? 1 : 256),
  });
  await using sender = processOf(fixture);
  const got: unknown[] = [];
  one.messaging.subscribe(
    one.topic,
    { group: one.group, deadLetter: "parked" },
    ({ data }) => void got.push(data),
  );
  await one.start();
  await one.send(1);
  await sender.send(message);
  await one.send(2);
  const filter = { source: "message", name: `${one.topic} ${one.group}` };
  const { parked } = one.app.durable;
  await until("the dead letter", async () => (await parked.list(filter)).items.length === 1);
  await until("the other messages", () => got.length === 2);
  await shortPause(20);
  const { items } = await parked.list(filter);
  assert.equal(items.length, 1);
  assert.equal(items[0]?.errorCode, code);
};
