import type { Channel, Options } from "amqplib";
import type { ConsumerOptions } from "@framework/messaging/adapter";
import { deadLetterTopic, groupQueue, unroutedExchange } from "./names.ts";

/** An object of the server that a program needs. */
export interface Declaration {
  /** In messages: `queue orders.search`. */
  readonly label: string;
  /** Rejects unless it exists. */
  exists(channel: Channel): Promise<unknown>;
  /** Creates it unless it exists. Rejects with 406 if it does, with other properties. */
  create(channel: Channel): Promise<unknown>;
}

/** Arguments of every queue: replicated and on disk, and nothing leaves it unless it is safe elsewhere. */
export const safeQueue = (deadLetters: {
  readonly exchange: string;
  readonly routingKey?: string;
}): object => ({
  "x-queue-type": "quorum",
  "x-dead-letter-strategy": "at-least-once",
  "x-overflow": "reject-publish", // which dead letters at least once need
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

/** A topic: an exchange that copies each message to the queue of every group. */
export const topicDeclaration = (topic: string): Declaration =>
  exchange(topic, { alternateExchange: unroutedExchange(topic) });

/** More deliveries than any operator makes: nothing may vanish from a queue of dead letters. */
const NEVER = 1_000_000;

/** A topic of dead letters: a queue of its name keeps them while no group subscribes to it. */
export const deadLetterDeclarations = (topic: string): readonly Declaration[] => [
  topicDeclaration(topic),
  exchange(unroutedExchange(topic)),
  queue(topic, unroutedExchange(topic), {
    arguments: { "x-queue-type": "quorum", "x-delivery-limit": NEVER },
  }),
];

/** The queue of a group, and what it needs. */
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
        ...safeQueue({ exchange: deadLetterTopic(topic, group) }),
        "x-delivery-limit": deliveryLimit,
        ...(order === "none" ? {} : { "x-single-active-consumer": true }),
      },
    }),
  ];
};
