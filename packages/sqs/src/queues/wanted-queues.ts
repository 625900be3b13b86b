import type { Topology } from "@framework/messaging/adapter";
import { deadLetterTopic, groupQueue, unclaimedQueue } from "./queue-names.ts";

/** A queue that a program needs. */
export interface WantedQueue {
  readonly name: string;
  readonly isFifo: boolean;
  /** Queue of the redrive policy; `null` for dead-letter queues. */
  readonly deadLetters: string | null;
  /** Queue that must not exist besides this one; `null` for dead-letter queues. */
  readonly other: string | null;
}

/** Returns the queues of groups and dead letters, dead-letter queues first. @param isConfigured whether a topic is the queue of `queueUrl` */
export const wantedQueues = (
  { subscriptions }: Topology,
  isConfigured: (topic: string) => boolean,
): readonly WantedQueue[] => {
  const wanted = new Map<string, WantedQueue>();
  const subscribed = new Set(subscriptions.flatMap(({ topics }) => topics));
  const unclaimed = (topic: string, isFifo: boolean): string => {
    const name = unclaimedQueue(topic, isFifo);
    wanted.set(name, { name, isFifo, deadLetters: null, other: null });
    return name;
  };
  const groups = subscriptions.flatMap(({ topics, group, order, deadLetterTopic: chosen }) => {
    const isFifo = order === "key";
    const own = topics.filter((topic) => !isConfigured(topic));
    const isOwn = chosen !== null && own.some((topic) => deadLetterTopic(topic, group) === chosen);
    if (chosen !== null && !isOwn && !subscribed.has(chosen) && !isConfigured(chosen))
      unclaimed(chosen, false);
    return own.map((topic) => ({
      name: groupQueue(topic, group, isFifo),
      isFifo,
      deadLetters: unclaimed(deadLetterTopic(topic, group), isFifo),
      other: groupQueue(topic, group, !isFifo),
    }));
  });
  return [...wanted.values(), ...groups];
};
