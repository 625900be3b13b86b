import { expect, test } from "@jest/globals";
import type { Message } from "@framework/messaging";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import type { Channel, GetMessage, Options } from "amqplib";
import { newName, onServer, TestApp, TestProcess } from "./process.test-kit.ts";

const timestamp = { "!": "timestamp", value: 1_700_000_000 };

/** Headers that a message of another system may have. */
const table = {
  count: 3,
  large: 2 ** 40,
  ratio: 0.5,
  flag: true,
  bytes: Buffer.from([0, 255]),
  at: timestamp,
  price: { "!": "decimal", value: { places: 2, digits: 1205 } },
  nested: { a: 1, deep: { b: [true, null] } },
  list: [1, "x", timestamp],
  none: null,
  "X-Mixed": "M",
  "x-mixed": "m",
};
const properties = {
  messageId: "m-1",
  contentType: "application/json",
  contentEncoding: "identity",
  correlationId: "c-1",
  replyTo: "answers",
  type: "legacy.Order",
  appId: "shop",
  priority: 5,
  timestamp: 1_600_000_000,
};

/** A number that amqplib reads, but can write only with its type. */
const lowest = { "!": "double", value: -1e300 };

withServer("rabbitmq", (url) => {
  const publish = (topic: string, options: Options.Publish): Promise<unknown> =>
    onServer(url, async (channel) => {
      channel.publish(topic, "", Buffer.from("{}"), options);
      await channel.checkExchange(topic); // responds after the message was sent
    });
  const getMessage = (channel: Channel, queue: string): Promise<GetMessage> =>
    waitFor(() => channel.get(queue, { noAck: true }));
  const failingApp = (topic: string, seen: Message[]): TestApp =>
    new TestApp({ url, topics: [topic] }).subscribe(
      topic,
      {
        raw: true,
        deadLetter: "topic",
        retry: { quickTries: 1, delaysMs: [10], jitter: 0 },
      },
      (message) => {
        seen.push(message);
        throw new Error("broken");
      },
    );

  test("delayed tries and dead letters keep headers and properties of other systems", async () => {
    const topic = newName();
    const seen: Message[] = [];
    await using one = await failingApp(topic, seen).start();
    await publish(topic, { ...properties, headers: table, expiration: "600000", userId: "guest" });
    await waitFor(() => one.app.messaging.status()[0]?.deadLettered === 1);
    const dead = await onServer(url, (channel) => getMessage(channel, `${topic}.group.dlq`));
    expect(dead.properties.headers).toMatchObject({ ...table, "framework-dead-tries": "2" });
    expect(dead.properties).toMatchObject({ ...properties, deliveryMode: 2 });
    expect([dead.properties.expiration, dead.properties.userId]).toEqual([undefined, undefined]);
    const headers = {
      count: "3",
      large: "1099511627776",
      ratio: "0.5",
      flag: "true",
      at: "2023-11-14T22:13:20.000Z",
      price: "12.05",
      "x-mixed": "m",
    };
    expect(seen.map((message) => ({ ...message.headers }))).toEqual([headers, headers]);
    expect(seen.map(({ id, attempt }) => [id, attempt])).toEqual([
      ["m-1", 1],
      ["m-1", 2],
    ]);
  });

  test("event attributes may have AMQP types", async () => {
    const topic = newName();
    const seen: Message[] = [];
    await using one = await failingApp(topic, seen).start();
    const headers = {
      cloudEvents_specversion: "1.0",
      cloudEvents_id: "e-1",
      cloudEvents_type: "t",
      cloudEvents_source: "/s",
      cloudEvents_time: timestamp,
      cloudEvents_sequence: 7,
      cloudEvents_sampled: true,
    };
    await publish(topic, { headers, contentType: "application/json" });
    await waitFor(() => one.app.messaging.status()[0]?.deadLettered === 1);
    expect(seen.map(({ time, headers: own }) => [time, { ...own }])).toEqual(
      [1, 2].map(() => ["2023-11-14T22:13:20.000Z", { ce_sequence: "7", ce_sampled: "true" }]),
    );
    const dead = await onServer(url, (channel) => getMessage(channel, `${topic}.group.dlq`));
    expect(dead.properties.headers).toMatchObject(headers);
  });

  test("numbers that amqplib would write as too large integers do not block dead letters", async () => {
    const topic = newName();
    await using one = await failingApp(topic, []).start();
    await publish(topic, { headers: { lowest, list: [lowest, { lowest }], kept: "yes" } });
    await waitFor(() => one.app.messaging.status()[0]?.deadLettered === 1);
    const dead = await onServer(url, (channel) => getMessage(channel, `${topic}.group.dlq`));
    const headers = { lowest: -1e300, list: [-1e300, { lowest: -1e300 }], kept: "yes" };
    expect(dead.properties.headers).toMatchObject(headers);
  });

  test("a dead letter keeps only string headers if all headers are too large", async () => {
    const topic = newName();
    await using one = await failingApp(topic, []).start();
    await publish(topic, { headers: { bytes: Buffer.alloc(65_450), kept: "yes" } });
    await waitFor(() => one.app.messaging.status()[0]?.deadLettered === 1);
    const dead = await onServer(url, (channel) => getMessage(channel, `${topic}.group.dlq`));
    expect(dead.properties.headers).toMatchObject({ kept: "yes", "framework-dead-tries": "2" });
    expect(dead.properties.headers).not.toHaveProperty("bytes");
  });

  test("a copy is not sent to queues in the sender's CC header", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    const other = newName();
    await onServer(url, async (channel) => {
      await channel.assertQueue(other, { durable: true });
      channel.publish("", `${process.topic}:group`, Buffer.from("{}"), { CC: [other] });
      await getMessage(channel, other);
      try {
        const { sink, consumer } = await process.consume();
        const [delivery] = await waitFor(() => sink.deliveries.length === 1 && sink.deliveries);
        if (delivery === undefined) throw new Error("nothing was delivered");
        await consumer.settle([{ delivery, action: "retry", delayMs: 0, tries: 1 }]);
        await waitFor(() => sink.deliveries.length === 2);
        expect(await channel.get(other, { noAck: true })).toBe(false);
      } finally {
        await channel.deleteQueue(other);
      }
    });
  });
});
