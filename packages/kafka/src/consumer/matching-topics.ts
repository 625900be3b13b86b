import type { ConsumerOptions } from "@framework/messaging/adapter";
import type { AdminClient } from "../client/admin-client.ts";
import { topicProblem } from "../topology/topic-problem.ts";

/** Topics of messaging for dead letters and delayed tries: `<topic>.<group>.dlq`, `<topic>.<group>.retry.<n>`. */
const OF_MESSAGING = /.\..+\.(?:dlq|retry\.\d+)$/;

/**
 * Returns the topics of a subscription, those that match its pattern now included, in the order of their names. A pattern matches neither topics of the server
 * nor those of dead letters and delayed tries of any group: two patterns would pass a message that neither can handle back and forth.
 *
 * @throws for a name that the driver cannot hold
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
  const matches = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")); // without a state between calls
  const isOwn = (topic: string): boolean =>
    topic === deadLetterTopic || OF_MESSAGING.test(topic) || topic.includes(`.${group}.retry.`);
  const found = all.filter(
    (topic) =>
      !topic.startsWith("__") && topicProblem(topic) === null && !isOwn(topic) && matches.test(topic),
  );
  return [...new Set([...topics, ...found])].toSorted();
};
