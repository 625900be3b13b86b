/** The queue of a group; its exchange has the name of the topic. */
export const groupQueue = (topic: string, group: string): string => `${topic}.${group}`;

/** The topic, and the queue, to which the server itself moves messages of a group that it gives up. */
export const deadLetterTopic = (queue: string): string => `${queue}.dlq`;

/** The exchange that gets messages of a topic without a group. It exists for dead letters alone: other topics refuse such messages. */
export const unroutedExchange = (topic: string): string => `${topic}.unrouted`;
