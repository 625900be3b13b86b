import type { Capabilities } from "../port/capabilities.ts";
import type { SubscriptionSpec } from "../subscribe/subscription-spec.ts";

/** A topic for delayed tries, and the delay of the retry policy that it is for. */
export interface RetryTopic {
  readonly topic: string;
  readonly delayMs: number;
}

/** Topics for the delayed tries of a subscription: one for each delay of its policy; none where the broker or the process keeps them. */
export const retryTopicsOf = (
  { topic, group, order, retry }: SubscriptionSpec,
  { retryTopics }: Pick<Capabilities, "retryTopics">,
): readonly RetryTopic[] =>
  retryTopics && order === "none" && typeof topic === "string"
    ? retry.delaysMs.map((delayMs, tier) => ({ topic: `${topic}.${group}.retry.${tier}`, delayMs }))
    : [];

/** The topic for a delay, in which no message waits much longer; `null` when there are none. */
export const retryTopicFor = (topics: readonly RetryTopic[], delayMs: number): string | null => {
  const byDelay = topics.toSorted((one, other) => one.delayMs - other.delayMs);
  return (byDelay.findLast((each) => each.delayMs <= delayMs) ?? byDelay[0])?.topic ?? null;
};

/** Shortest limit of the time for which a process holds a message of a retry topic. */
const MIN_HOLD_MS = 900_000;

/**
 * Longest time for which a process holds a message of a topic, in milliseconds: twice the delay of a retry topic, jitter included, or 15 minutes; then the
 * message is sent again to the topic. One that waits for days would keep the partition from being committed, and a thousand of them all others waiting.
 */
export const longestHoldMs = (topics: readonly RetryTopic[], topic: string): number => {
  const own = topics.find((each) => each.topic === topic);
  return own === undefined ? Infinity : Math.max(MIN_HOLD_MS, 2 * own.delayMs);
};

/** The topic that a retry topic belongs to; any other topic itself. */
export const mainTopic = (topic: string, group: string): string => {
  if (!topic.includes(".retry.")) return topic; // most are: saves a text for each delivery
  const at = topic.lastIndexOf(`.${group}.retry.`);
  return at < 0 ? topic : topic.slice(0, at);
};
