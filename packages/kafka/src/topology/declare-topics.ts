import type { Topology } from "@framework/messaging/adapter";
import type { ITopicConfig } from "kafkajs";
import type { KafkaConfig } from "../kafka-config.ts";
import { copyLimit, MAX_BYTES, sourcesOfCopies } from "./copy-size-limits.ts";
import { createTopics, type CreateTopicsParts } from "./create-topics.ts";
import { topicProblem } from "./topic-problem.ts";
import { topicState } from "./topic-state.ts";

/** Dependencies of `declareTopics`. */
export interface DeclareTopicsParts extends CreateTopicsParts {
  readonly config: Pick<KafkaConfig, "partitions" | "replicas">;
}

/**
 * Verifies or creates the topics of a program, including retry and dead-letter topics. Existing topics are never changed.
 *
 * @returns the problems, for operators
 */
export const declareTopics = async (
  parts: DeclareTopicsParts,
  spec: Topology,
  mode: "verify" | "create",
): Promise<readonly string[]> => {
  const all = topicsOf(spec);
  const unusable = all.flatMap((topic) => topicProblem(topic) ?? []);
  const wanted = all.filter((topic) => topicProblem(topic) === null);
  const missing = await missingOf(parts, wanted);
  if (mode === "create") return [...unusable, ...(await createMissing(parts, spec, missing))];
  return [
    ...unusable,
    ...missing.map(
      (topic) =>
        `the topic "${topic}" does not exist; create it with "npx @framework/cli topology", or set topology: "create"`,
    ),
  ];
};

const missingOf = async (
  { admin }: DeclareTopicsParts,
  wanted: readonly string[],
): Promise<readonly string[]> => {
  const states = await Promise.all(wanted.map((topic) => topicState(admin, topic)));
  return wanted.filter((_topic, at) => states[at] === "missing");
};

/** Creates topics. Retry and dead-letter topics last, because their size limits depend on their source topics. */
const createMissing = async (
  parts: DeclareTopicsParts,
  spec: Topology,
  missing: readonly string[],
): Promise<readonly string[]> => {
  const { partitions: numPartitions, replicas: replicationFactor } = parts.config;
  const create = async (topics: readonly Pick<ITopicConfig, "topic" | "configEntries">[]) =>
    topics.length === 0
      ? new Map<string, string>()
      : await createTopics(
          parts,
          topics.map((topic) => ({ ...topic, numPartitions, replicationFactor })),
        );
  const sources = sourcesOfCopies(spec);
  const problems = new Map(
    await create(missing.filter((name) => !sources.has(name)).map((topic) => ({ topic }))),
  );
  const copies = await Promise.all(
    missing
      .filter((name) => sources.has(name))
      .map(async (topic) => ({ topic, limit: await copyLimit(parts.admin, sources.get(topic) ?? []) })),
  );
  const copyProblems = await create(
    copies.map(({ topic, limit }) =>
      limit === null ? { topic } : { topic, configEntries: [{ name: MAX_BYTES, value: String(limit) }] },
    ),
  );
  for (const [topic, problem] of copyProblems) problems.set(topic, problem);
  const stillMissing = await missingOf(parts, Array.from(copyProblems.keys())); // a policy of the server may refuse the larger limit
  for (const topic of stillMissing) problems.delete(topic);
  for (const [topic, problem] of await create(stillMissing.map((topic) => ({ topic }))))
    problems.set(topic, problem);
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
