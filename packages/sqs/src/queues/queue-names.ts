import { createHash } from "node:crypto";

/** SQS takes 80 letters, digits, `-` and `_`, with `.fifo` at the end of FIFO queues. */
const MAX_TOPIC = 40;
const MAX_GROUP = 33;
const SEPARATOR = "__";
/** In the place of a group: the queue of what has none. */
const UNCLAIMED = "unclaimed";
const FIFO = ".fifo";

/** The queue of a group. @param isFifo whether the group is ordered */
export const groupQueue = (topic: string, group: string, isFifo: boolean): string =>
  `${topicPrefix(topic)}${encoded(group, MAX_GROUP)}${isFifo ? FIFO : ""}`;

/** The queue for messages of a topic without groups. It exists for dead letters alone: other topics refuse such messages. */
export const unclaimedQueue = (topic: string, isFifo: boolean): string =>
  `${topicPrefix(topic)}${UNCLAIMED}${isFifo ? FIFO : ""}`;

/** Begins the names of all queues of a topic, and of no other. */
export const topicPrefix = (topic: string): string => `${encoded(topic, MAX_TOPIC)}${SEPARATOR}`;

/** Whether a queue of a topic is the one for messages without groups. */
export const isUnclaimed = (name: string): boolean =>
  name.endsWith(`${SEPARATOR}${UNCLAIMED}`) || name.endsWith(`${SEPARATOR}${UNCLAIMED}${FIFO}`);

/** Whether a queue keeps the order of each message group. */
export const isFifoName = (name: string): boolean => name.endsWith(FIFO);

/** The topic to which SQS itself moves messages of a group that it gives up: the one that messaging uses by default. */
export const deadLetterTopic = (topic: string, group: string): string => `${topic}.${group}.dlq`;

/** Letters, digits and `-` stay as they are. Other names, and long ones, get a hash, so that two names never share a queue. */
const encoded = (name: string, max: number): string => {
  if (/^[A-Za-z\d-]+$/.test(name) && name.length <= max && name !== UNCLAIMED) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.replaceAll(/[^A-Za-z\d-]/g, "-").slice(0, max - hash.length - 1)}_${hash}`;
};
