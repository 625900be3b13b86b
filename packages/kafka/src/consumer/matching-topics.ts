import type { ConsumerOptions } from "@framework/messaging/adapter";
import type { AdminClient } from "../client/admin-client.ts";

/** Returns the topics of a subscription, those that match its pattern now included, in the order of their names. */
export const matchingTopics = async (
  admin: AdminClient,
  { topics, pattern }: Pick<ConsumerOptions, "topics" | "pattern">,
): Promise<readonly string[]> => {
  if (pattern === null) return topics;
  const all = await admin.use((open) => open.listTopics());
  const matches = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")); // without a state between calls
  const found = all.filter((topic) => !topic.startsWith("__") && matches.test(topic));
  return [...new Set([...topics, ...found])].toSorted();
};
