import type { AdminClient } from "../client/admin-client.ts";
import { isProtocolError } from "../client/protocol-error.ts";

/** `missing`: the topic does not exist; `leaderless`: a partition has no leader, so messages cannot be sent to it yet. */
export type TopicState = "missing" | "leaderless" | "ready";

const unknownTopic: ReadonlySet<unknown> = new Set(["UNKNOWN_TOPIC_OR_PARTITION"]);
const noLeader: ReadonlySet<unknown> = new Set(["LEADER_NOT_AVAILABLE"]);

/**
 * Requests the state of one topic. A request for several topics would fail if one of them is unknown or has no leader.
 *
 * @throws if the server cannot be queried
 */
export const topicState = (admin: Pick<AdminClient, "use">, topic: string): Promise<TopicState> =>
  admin.use(async (open): Promise<TopicState> => {
    try {
      const { topics } = await open.fetchTopicMetadata({ topics: [topic] });
      const partitions = topics.find(({ name }) => name === topic)?.partitions ?? [];
      return partitions.length > 0 && partitions.every(({ leader }) => leader >= 0) ? "ready" : "leaderless";
    } catch (error) {
      if (isProtocolError(error, unknownTopic)) return "missing";
      if (isProtocolError(error, noLeader)) return "leaderless";
      throw error;
    }
  });
