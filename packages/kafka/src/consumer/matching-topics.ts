import type { ConsumerOptions } from "@framework/messaging/adapter";
import type { AdminClient } from "../client/admin-client.ts";

/**
 * Returns the topics of a subscription, those that match its pattern now included, in the order of their names. A pattern matches neither topics of the server
 * nor those that the group writes itself.
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
  if (pattern === null) return topics;
  const all = await admin.use((open) => open.listTopics());
  const matches = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")); // without a state between calls
  const isOwn = (topic: string): boolean => topic === deadLetterTopic || topic.includes(`.${group}.retry.`);
  const found = all.filter((topic) => !topic.startsWith("__") && !isOwn(topic) && matches.test(topic));
  return [...new Set([...topics, ...found])].toSorted();
};
