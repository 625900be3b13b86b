/**
 * Names of the server. Names of topics and groups have letters, digits and `. _ -`, so a colon separates what is joined: with a dot, the group `eu.mail` of
 * `orders` and the group `mail` of `orders.eu` would share a queue.
 */

/** The queue of a group; its exchange has the name of the topic. */
export const groupQueue = (topic: string, group: string): string => `${topic}:${group}`;

/** The topic, and the queue, to which the server itself moves messages of a group that it gives up: the one that messaging uses too. */
export const deadLetterTopic = (topic: string, group: string): string => `${topic}.${group}.dlq`;

/** The exchange that gets messages of a topic without a group. It exists for dead letters alone: other topics refuse such messages. */
export const unroutedExchange = (topic: string): string => `${topic}:unrouted`;

/** The queue in which messages for an exchange or a queue wait. */
export const delayQueue = (target: string, ms: number): string => `${target}:delay:${ms}`;
