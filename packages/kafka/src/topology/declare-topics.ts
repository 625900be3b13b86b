import type { Topology } from "@framework/messaging/adapter";
import type { KafkaConfig } from "../kafka-config.ts";
import { createTopics, type CreateTopicsParts } from "./create-topics.ts";
import { topicProblem } from "./topic-problem.ts";
import { topicState } from "./topic-state.ts";

/** What the declaration needs. */
export interface DeclareTopicsParts extends CreateTopicsParts {
  readonly config: Pick<KafkaConfig, "partitions" | "replicas">;
}

/**
 * Verifies or creates the topics that a program uses, those of its retries and dead letters included. Existing topics are never changed.
 *
 * @returns what is wrong, for operators
 */
export const declareTopics = async (
  parts: DeclareTopicsParts,
  spec: Topology,
  mode: "verify" | "create",
): Promise<readonly string[]> => {
  const all = topicsOf(spec);
  const unusable = all.flatMap((topic) => topicProblem(topic) ?? []);
  const wanted = all.filter((topic) => topicProblem(topic) === null);
  return [...unusable, ...(await declared(parts, wanted, mode))];
};

const declared = async (
  parts: DeclareTopicsParts,
  wanted: readonly string[],
  mode: "verify" | "create",
): Promise<readonly string[]> => {
  const states = await Promise.all(wanted.map((topic) => topicState(parts.admin, topic)));
  const missing = wanted.filter((_topic, at) => states[at] === "missing");
  if (missing.length === 0) return [];
  if (mode === "verify")
    return missing.map(
      (topic) =>
        `the topic "${topic}" does not exist; create it with "npx @framework/cli topology", or set topology: "create"`,
    );
  const { partitions, replicas } = parts.config;
  const problems = await createTopics(
    parts,
    missing.map((topic) => ({ topic, numPartitions: partitions, replicationFactor: replicas })),
  );
  return Array.from(problems, ([topic, problem]) => `the topic "${topic}" could not be created: ${problem}`);
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
