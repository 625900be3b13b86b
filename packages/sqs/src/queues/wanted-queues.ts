import type { Topology } from "@framework/messaging/adapter";
import { deadLetterTopic, groupQueue, unclaimedQueue } from "./queue-names.ts";

/** A queue that a program needs. */
export interface WantedQueue {
  readonly name: string;
  readonly isFifo: boolean;
  /** Queue to which SQS moves what it gives up; `null` for queues of dead letters. */
  readonly deadLetters: string | null;
  /** The queue that the group must not have beside this one; `null` for queues of dead letters. */
  readonly other: string | null;
}

/** The queues of groups and of their dead letters, those of dead letters first. @param isGiven whether a topic is a queue that exists */
export const wantedQueues = (
  { subscriptions }: Topology,
  isGiven: (topic: string) => boolean,
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
    const own = topics.filter((topic) => !isGiven(topic));
    const isOwn = chosen !== null && own.some((topic) => deadLetterTopic(topic, group) === chosen);
    if (chosen !== null && !isOwn && !subscribed.has(chosen) && !isGiven(chosen)) unclaimed(chosen, false);
    return own.map((topic) => ({
      name: groupQueue(topic, group, isFifo),
      isFifo,
      deadLetters: unclaimed(deadLetterTopic(topic, group), isFifo),
      other: groupQueue(topic, group, !isFifo),
    }));
  });
  return [...wanted.values(), ...groups];
};
