import { type Clock, messageOf } from "@framework/core/feature";
import { pause } from "@framework/messaging/adapter";
import type { ITopicConfig } from "kafkajs";
import type { AdminClient } from "../client/admin-client.ts";
import { isProtocolError } from "../client/protocol-error.ts";
import { topicState } from "./topic-state.ts";

/** Dependencies of `createTopics`. */
export interface CreateTopicsParts {
  readonly admin: Pick<AdminClient, "use">;
  readonly clock: Clock;
  /** Aborts waiting for the topics. */
  readonly signal: AbortSignal;
}

/** Longest wait until every partition of the new topics has a leader; messaging retries after it. */
const READY_MS = 30_000;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 1000;

/** Errors of a topic that a retry does not fix. */
const permanent: ReadonlySet<unknown> = new Set([
  "INVALID_TOPIC_EXCEPTION",
  "INVALID_PARTITIONS",
  "INVALID_REPLICATION_FACTOR",
  "INVALID_REPLICA_ASSIGNMENT",
  "INVALID_CONFIG",
  "POLICY_VIOLATION",
  "TOPIC_AUTHORIZATION_FAILED",
  "CLUSTER_AUTHORIZATION_FAILED",
]);
const alreadyExists: ReadonlySet<unknown> = new Set(["TOPIC_ALREADY_EXISTS"]);

/**
 * Creates topics and waits, for at most 30 s, until all their partitions have leaders.
 *
 * A server confirms a creation before the topic is in its metadata or in that of other servers. Therefore the wait of kafkajs, which fails for an unknown topic,
 * is not used, and the creation is repeated until the topic is ready, which has no effect if it exists.
 *
 * @returns the problems by topic
 * @throws if the server cannot be queried
 */
export const createTopics = async (
  { admin, clock, signal }: CreateTopicsParts,
  wanted: readonly ITopicConfig[],
): Promise<ReadonlyMap<string, string>> => {
  const deadline = clock.now() + READY_MS;
  const problems = new Map<string, string>();
  let waiting = wanted;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    const refused = await create(admin, waiting, problems);
    const rest = await unreadyOf(admin, waiting);
    for (const { topic } of waiting) if (!rest.some((each) => each.topic === topic)) problems.delete(topic);
    waiting = rest.filter(({ topic }) => !refused.has(topic));
    if (waiting.length === 0 || signal.aborted || clock.now() >= deadline) break;
    await pause(clock, pauseMs, signal);
  }
  for (const { topic } of waiting)
    if (!problems.has(topic)) problems.set(topic, "its partitions have no leaders yet");
  return problems;
};

/** Requests the creation and records the problem of each topic. Returns the topics that cannot be created. */
const create = async (
  admin: Pick<AdminClient, "use">,
  topics: readonly ITopicConfig[],
  problems: Map<string, string>,
): Promise<ReadonlySet<string>> => {
  const refused = new Set<string>();
  const errors = await requestCreation(admin, topics);
  for (const { topic } of topics) {
    const error = errors.get(topic);
    if (error === undefined || isProtocolError(error, alreadyExists)) problems.delete(topic);
    else problems.set(topic, error.message);
    if (isProtocolError(error, permanent)) refused.add(topic);
  }
  return refused;
};

/** Requests the creation and returns the errors by topic. An error of a single topic must not fail `use`, which would replace the connection. */
const requestCreation = async (
  admin: Pick<AdminClient, "use">,
  topics: readonly ITopicConfig[],
): Promise<ReadonlyMap<unknown, Error>> => {
  try {
    return await admin.use((open) =>
      open.createTopics({ topics: [...topics], waitForLeaders: false }).then(
        () => new Map(),
        (error: unknown) => errorsByTopic(error),
      ),
    );
  } catch (error) {
    const failure = Error.isError(error) ? error : new Error(messageOf(error));
    return new Map(topics.map(({ topic }) => [topic, failure]));
  }
};

/** Returns the errors by topic. @throws the error if it does not belong to single topics */
const errorsByTopic = (error: unknown): ReadonlyMap<unknown, Error> => {
  const errors: unknown = Error.isError(error) ? Reflect.get(error, "errors") : null;
  if (!Array.isArray(errors)) throw error;
  return new Map(errors.filter(Error.isError).map((each) => [Reflect.get(each, "topic"), each]));
};

const unreadyOf = async (
  admin: Pick<AdminClient, "use">,
  topics: readonly ITopicConfig[],
): Promise<readonly ITopicConfig[]> => {
  const states = await Promise.all(topics.map(({ topic }) => topicState(admin, topic)));
  return topics.filter((_topic, at) => states[at] !== "ready");
};
