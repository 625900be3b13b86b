import type { Topology } from "@framework/messaging/adapter";
import type { AdminClient } from "../client/admin-client.ts";
import type { KafkaConfig } from "../kafka-config.ts";

/**
 * Verifies or creates the topics that a program uses, those of its retries and dead letters included. Existing topics are never changed.
 *
 * @returns what is wrong, for operators
 */
export const declareTopics = async (
  admin: AdminClient,
  { partitions, replicas }: Pick<KafkaConfig, "partitions" | "replicas">,
  spec: Topology,
  mode: "verify" | "create",
): Promise<readonly string[]> => {
  const missing = await missingOf(admin, topicsOf(spec));
  if (missing.length === 0) return [];
  if (mode === "verify")
    return missing.map(
      (topic) => `the topic "${topic}" does not exist; create it, or set topology: "create"`,
    );
  const topics = missing.map((topic) => ({ topic, numPartitions: partitions, replicationFactor: replicas }));
  const problem = await admin
    .use((open) => open.createTopics({ topics, waitForLeaders: true }))
    .then(
      () => null,
      (error: unknown) => (Error.isError(error) ? error.message : String(error)),
    );
  if (problem === null) return [];
  const still = await missingOf(admin, missing); // another process may have created them
  return still.map((topic) => `the topic "${topic}" could not be created: ${problem}`);
};

const missingOf = async (admin: AdminClient, topics: readonly string[]): Promise<readonly string[]> => {
  const known = new Set(await admin.use((open) => open.listTopics()));
  return topics.filter((topic) => !known.has(topic));
};

const topicsOf = ({ topics, subscriptions }: Topology): readonly string[] => [
  ...new Set([
    ...topics,
    ...subscriptions.flatMap((each) => [
      ...each.topics,
      ...(each.deadLetterTopic === null ? [] : [each.deadLetterTopic]),
      ...each.retryTopics.map(({ topic }) => topic),
    ]),
  ]),
];
