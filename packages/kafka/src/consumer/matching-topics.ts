import type { ConsumerOptions } from "@framework/messaging/adapter";
import type { AdminClient } from "../client/admin-client.ts";
import { topicProblem } from "../topology/topic-problem.ts";

/** Dead-letter and retry topics: `<topic>.<group>.dlq`, `<topic>.<group>.retry.<n>`. */
const DEAD_LETTER_OR_RETRY_TOPIC = /.\..+\.(?:dlq|retry\.\d+)$/;

/**
 * Returns the topics of a subscription; with a pattern also existing topics that match it, sorted by name. A pattern matches neither internal topics of Kafka
 * nor dead-letter and retry topics of any group: two patterns would send each other a message that neither can handle.
 *
 * @throws for a topic name that kafkajs cannot use
 */
export const matchingTopics = async (
  admin: AdminClient,
  {
    topics,
    pattern,
    group,
    deadLetterTopic,
  }: Pick<ConsumerOptions, "topics" | "pattern" | "group" | "deadLetterTopic">,
): Promise<readonly string[]> => {
  const problem = topics.map(topicProblem).find((each) => each !== null);
  if (problem !== undefined) throw new Error(`kafka: ${problem}`);
  if (pattern === null) return topics;
  const all = await admin.use((open) => open.listTopics());
  const matches = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")); // without `lastIndex` state
  const isOwn = (topic: string): boolean =>
    topic === deadLetterTopic || DEAD_LETTER_OR_RETRY_TOPIC.test(topic) || topic.includes(`.${group}.retry.`);
  const found = all.filter(
    (topic) =>
      !topic.startsWith("__") && topicProblem(topic) === null && !isOwn(topic) && matches.test(topic),
  );
  return [...new Set([...topics, ...found])].toSorted();
};
