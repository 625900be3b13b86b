import type { Capabilities } from "../port/capabilities.ts";
import type { SubscriptionSpec } from "../subscribe/subscription-spec.ts";

/** A retry topic with its delay in milliseconds. */
export interface RetryTopic {
  readonly topic: string;
  readonly delayMs: number;
}

/** Returns the retry topics of a subscription: one for each delay of its policy; none if messages wait for their retry at the broker, or in the process. */
export const retryTopicsOf = (
  { topic, group, order, retry }: SubscriptionSpec,
  { retryTopics }: Pick<Capabilities, "retryTopics">,
): readonly RetryTopic[] =>
  retryTopics && order === "none" && typeof topic === "string"
    ? retry.delaysMs.map((delayMs, tier) => ({ topic: `${topic}.${group}.retry.${tier}`, delayMs }))
    : [];

/**
 * Returns the retry topic with the longest delay up to `delayMs`, else the topic with the shortest delay, so that messages in it have similar delays; `null` if
 * there are no retry topics.
 */
export const retryTopicFor = (topics: readonly RetryTopic[], delayMs: number): string | null => {
  const byDelay = topics.toSorted((one, other) => one.delayMs - other.delayMs);
  return (byDelay.findLast((each) => each.delayMs <= delayMs) ?? byDelay[0])?.topic ?? null;
};

/** Lower bound of `maxHoldMs` for retry topics. */
const MIN_HOLD_MS = 900_000;

/**
 * Returns the maximum milliseconds for which a process holds a message of a topic: for a retry topic twice its delay (jitter included), at least 15 minutes; then
 * the message is sent to the topic again. Unlimited for other topics. A message held for days would block commits of its partition, and a thousand such messages
 * would block all others.
 */
export const maxHoldMs = (topics: readonly RetryTopic[], topic: string): number => {
  const own = topics.find((each) => each.topic === topic);
  return own === undefined ? Infinity : Math.max(MIN_HOLD_MS, 2 * own.delayMs);
};

/** Returns the topic that a retry topic belongs to; any other topic unchanged. */
export const mainTopic = (topic: string, group: string): string => {
  if (!topic.includes(".retry.")) return topic; // the common case: allocates no string
  const at = topic.lastIndexOf(`.${group}.retry.`);
  return at < 0 ? topic : topic.slice(0, at);
};
