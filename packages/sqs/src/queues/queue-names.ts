import { createHash } from "node:crypto";

/** Maximum characters, because SQS accepts queue names of 80 letters, digits, `-` and `_`, including the suffix `.fifo`. */
const MAX_TOPIC = 40;
const MAX_GROUP = 33;
const SEPARATOR = "__";
/** Replaces the group in the name of the unclaimed queue. */
const UNCLAIMED = "unclaimed";
const FIFO = ".fifo";

/** Returns the queue name of a group. @param isFifo whether the group is ordered */
export const groupQueue = (topic: string, group: string, isFifo: boolean): string =>
  `${topicPrefix(topic)}${encodeName(group, MAX_GROUP)}${isFifo ? FIFO : ""}`;

/** Returns the unclaimed queue of a topic, for messages without a group. Only dead-letter topics have one; for other topics, sending such a message fails. */
export const unclaimedQueue = (topic: string, isFifo: boolean): string =>
  `${topicPrefix(topic)}${UNCLAIMED}${isFifo ? FIFO : ""}`;

/** Returns the unique name prefix of all queues of a topic. */
export const topicPrefix = (topic: string): string => `${encodeName(topic, MAX_TOPIC)}${SEPARATOR}`;

/** Whether a queue name is the name of an unclaimed queue. */
export const isUnclaimed = (name: string): boolean =>
  name.endsWith(`${SEPARATOR}${UNCLAIMED}`) || name.endsWith(`${SEPARATOR}${UNCLAIMED}${FIFO}`);

/** Whether a queue name is the name of a FIFO queue. */
export const isFifoName = (name: string): boolean => name.endsWith(FIFO);

/** Returns the dead-letter topic of a group, to which SQS also moves messages. It is the default of messaging. */
export const deadLetterTopic = (topic: string, group: string): string => `${topic}.${group}.dlq`;

/** Encodes a name: short names of letters, digits and `-` are unchanged; others, and "unclaimed", get a hash, so that two names do not share a queue. */
const encodeName = (name: string, max: number): string => {
  if (/^[A-Za-z\d-]+$/.test(name) && name.length <= max && name !== UNCLAIMED) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.replaceAll(/[^A-Za-z\d-]/g, "-").slice(0, max - hash.length - 1)}_${hash}`;
};
