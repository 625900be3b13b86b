/**
 * Names of exchanges and queues. A colon separates topic and group, because their names may contain letters, digits and `. _ -`: with a dot, the group `eu.mail`
 * of `orders` and the group `mail` of `orders.eu` would share a queue.
 */

/** Returns the queue of a group; its exchange has the name of the topic. */
export const groupQueue = (topic: string, group: string): string => `${topic}:${group}`;

/** Returns the dead-letter topic of a group, to which the server also moves messages; its queue has the same name. It is the default of messaging. */
export const deadLetterTopic = (topic: string, group: string): string => `${topic}.${group}.dlq`;

/** Returns the alternate exchange of a topic, for messages without a group. Declared only for dead-letter topics; messages to other topics are returned. */
export const unroutedExchange = (topic: string): string => `${topic}:unrouted`;

/** Returns the delay queue of an exchange or queue. */
export const delayQueue = (target: string, ms: number): string => `${target}:delay:${ms}`;
