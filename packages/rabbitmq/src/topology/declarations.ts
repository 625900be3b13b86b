import type { Channel, Options } from "amqplib";
import type { ConsumerOptions } from "@framework/messaging/adapter";
import { deadLetterTopic, groupQueue, unroutedExchange } from "./names.ts";

/** An exchange or queue that a program needs. */
export interface Declaration {
  /** Label in messages: `queue orders:search`. */
  readonly label: string;
  /** Rejects if it does not exist. */
  exists(channel: Channel): Promise<unknown>;
  /** Creates it if it does not exist. Rejects with 406 if it exists with other properties. */
  create(channel: Channel): Promise<unknown>;
}

/** Returns the arguments of a queue: replicated, on disk, and with at-least-once dead-lettering. */
export const quorumQueueArguments = (deadLetters: {
  readonly exchange: string;
  readonly routingKey?: string;
}): object => ({
  "x-queue-type": "quorum",
  "x-dead-letter-strategy": "at-least-once",
  "x-overflow": "reject-publish", // required by at-least-once
  "x-dead-letter-exchange": deadLetters.exchange,
  ...(deadLetters.routingKey === undefined ? {} : { "x-dead-letter-routing-key": deadLetters.routingKey }),
});

const queue = (name: string, from: string, options: Options.AssertQueue): Declaration => ({
  label: `queue ${name}`,
  exists: (channel) => channel.checkQueue(name),
  async create(channel) {
    await channel.assertQueue(name, { durable: true, ...options });
    await channel.bindQueue(name, from, "");
  },
});

const exchange = (name: string, options: Options.AssertExchange = {}): Declaration => ({
  label: `exchange ${name}`,
  exists: (channel) => channel.checkExchange(name),
  create: (channel) => channel.assertExchange(name, "fanout", { durable: true, ...options }),
});

/** Returns the declaration of a topic: an exchange that copies each message to the queue of every group. */
export const topicDeclaration = (topic: string): Declaration =>
  exchange(topic, { alternateExchange: unroutedExchange(topic) });

/** Delivery limit of dead-letter queues, effectively unlimited: dead letters must not be dropped. */
const UNLIMITED_DELIVERIES = 1_000_000;

/** Returns the declarations of a dead-letter topic, with a queue of the same name that keeps dead letters while no group subscribes. */
export const deadLetterDeclarations = (topic: string): readonly Declaration[] => [
  topicDeclaration(topic),
  exchange(unroutedExchange(topic)),
  queue(topic, unroutedExchange(topic), {
    arguments: { "x-queue-type": "quorum", "x-delivery-limit": UNLIMITED_DELIVERIES },
  }),
];

/** Returns the declarations of a group's queue, its topic and its dead-letter topic. */
export const groupDeclarations = (
  topic: string,
  group: string,
  { order, deliveryLimit }: { readonly order: ConsumerOptions["order"]; readonly deliveryLimit: number },
): readonly Declaration[] => {
  const name = groupQueue(topic, group);
  return [
    topicDeclaration(topic),
    ...deadLetterDeclarations(deadLetterTopic(topic, group)),
    queue(name, topic, {
      arguments: {
        ...quorumQueueArguments({ exchange: deadLetterTopic(topic, group) }),
        "x-delivery-limit": deliveryLimit,
        ...(order === "none" ? {} : { "x-single-active-consumer": true }),
      },
    }),
  ];
};
