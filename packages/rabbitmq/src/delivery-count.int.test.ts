import { expect, test } from "@jest/globals";
import type { Delivery } from "@framework/messaging/adapter";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import type { Channel, GetMessage, Replies } from "amqplib";
import { RabbitMQDelivery } from "./consume/rabbitmq-delivery.ts";
import { onServer, TestProcess } from "./process.test-kit.ts";

/** Returns the server's count of earlier deliveries, which the first delivery lacks. */
const countOf = (delivery: Delivery | undefined): unknown => {
  if (!(delivery instanceof RabbitMQDelivery)) throw new TypeError("the sink has no such delivery");
  return delivery.message.properties.headers?.["x-delivery-count"];
};

withServer("rabbitmq", (url) => {
  test("a stop that requeues a message increments the server's delivery count, but not the tries", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    await process.send([{ body: "waits" }]);
    for (let stops = 0; stops < 3; stops++) {
      const { sink, consumer } = await process.consume();
      const [delivery] = await waitFor(() => sink.deliveries.length === 1 && sink.deliveries);
      expect([delivery?.tries, countOf(delivery)]).toEqual([0, stops === 0 ? undefined : stops]);
      await consumer.close();
    }
  });

  test("a paused consumer that stops returns its message by nack, which also increments the count", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    const paused = await process.consume();
    paused.consumer.pause();
    await process.send([{ body: "waits" }]);
    await waitFor(
      async () => (await paused.consumer.lag()) === 1 && (await queue(url, process.topic)).messageCount === 0,
    );
    await paused.consumer.stop();
    const next = await process.consume(); // the first channel is still open, so only the nack can have returned the message
    const [delivery] = await waitFor(() => next.sink.deliveries.length === 1 && next.sink.deliveries);
    expect(paused.sink.deliveries).toEqual([]);
    expect([delivery?.tries, countOf(delivery), delivery?.isRedelivered]).toEqual([0, 1, true]);
  });

  test("a delayed try keeps its tries and resets the server's delivery count", async () => {
    await using process = new TestProcess({ url });
    await process.declare();
    await process.send([{ body: "fails" }]);
    const first = await process.consume();
    await waitFor(() => first.sink.deliveries.length === 1);
    await first.consumer.close(); // one delivery is counted
    const { sink, consumer } = await process.consume();
    const [second] = await waitFor(() => sink.deliveries.length === 1 && sink.deliveries);
    if (second === undefined) throw new Error("nothing was delivered");
    expect(countOf(second)).toBe(1);
    await consumer.settle([{ delivery: second, action: "retry", delayMs: 0, tries: 1 }]);
    await waitFor(() => sink.deliveries.length === 2);
    expect([sink.deliveries[1]?.tries, countOf(sink.deliveries[1])]).toEqual([1, undefined]);
  });

  test("requeues end at x-delivery-limit, and a nack without requeue makes a dead letter at once, each with its reason", async () => {
    await using process = new TestProcess({ url, deliveryLimit: 2 });
    await process.declare();
    await process.send([{ body: "requeued" }]);
    const [requeued, deliveries] = await onServer(url, async (channel) => {
      let nacks = 0;
      while (nacks < 10) {
        const message = await channel.get(`${process.topic}:group`);
        if (message === false) break;
        channel.nack(message, false, true);
        nacks++;
      }
      return [await deadLetter(channel, process.topic), nacks] as const;
    });
    await process.send([{ body: "rejected" }]);
    const rejected = await onServer(url, async (channel) => {
      const message = await waitFor(() => channel.get(`${process.topic}:group`));
      channel.nack(message, false, false);
      return await deadLetter(channel, process.topic);
    });
    expect([deliveries, ...reasonOf(requeued)]).toEqual([3, "requeued", "delivery_limit"]);
    expect(reasonOf(rejected)).toEqual(["rejected", "rejected"]);
  });
});

/** Returns the state of the group's queue; `messageCount` excludes messages that a consumer holds. */
const queue = async (url: string, topic: string): Promise<Replies.AssertQueue> =>
  await onServer(url, async (channel) => await channel.checkQueue(`${topic}:group`));

const deadLetter = async (channel: Channel, topic: string): Promise<GetMessage> =>
  await waitFor(() => channel.get(`${topic}.group.dlq`, { noAck: true }));

const reasonOf = ({ content, properties }: GetMessage): readonly unknown[] => [
  content.toString(),
  properties.headers?.["x-first-death-reason"],
];
