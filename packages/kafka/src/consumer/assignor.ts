import type { Cluster, PartitionAssigner } from "kafkajs";
import { kafkajs } from "../client/kafkajs.ts";
import { isProtocolError } from "../client/protocol-error.ts";
import { type Claim, share } from "./share-partitions.ts";

/** What the assignor needs of its consumer. */
export interface AssignorParts {
  /** Partitions that the consumer holds, by topic. */
  readonly held: () => Readonly<Record<string, readonly number[]>>;
  /** Called before each request to join the group. */
  readonly joining: () => void;
}

/**
 * Shares partitions among the members that subscribe to their topic, evenly, and leaves them where they were as far as possible.
 *
 * The driver's own assignor gives partitions also to members that do not subscribe to their topic, which it then leaves unread.
 */
export const assignorOf = ({ held, joining }: AssignorParts): PartitionAssigner => {
  const { AssignerProtocol } = kafkajs();
  const { MemberAssignment, MemberMetadata } = AssignerProtocol;
  return ({ cluster }) => ({
    name: "framework-sticky",
    version: 1,
    protocol({ topics }) {
      joining();
      const userData = Buffer.from(JSON.stringify(held()));
      return { name: "framework-sticky", metadata: MemberMetadata.encode({ version: 1, topics, userData }) };
    },
    async assign({ members }) {
      const claims = members.map(({ memberId, memberMetadata }): Claim => {
        const found = MemberMetadata.decode(memberMetadata);
        return { member: memberId, topics: found?.topics ?? [], held: heldIn(found?.userData) };
      });
      const partitions = await partitionsOf(cluster, [...new Set(claims.flatMap(({ topics }) => topics))]);
      return Array.from(share(claims, partitions), ([memberId, assignment]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({ version: 1, assignment, userData: Buffer.alloc(0) }),
      }));
    },
  });
};

/**
 * Partitions by topic; none for a topic that does not exist.
 *
 * Any other failure fails the join, which is then tried again: a topic that is left out has no consumer until the next rebalance.
 */
const partitionsOf = async (
  cluster: Cluster,
  topics: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const found = new Map<string, readonly number[]>();
  for (const topic of topics)
    found.set(topic, (await isKnown(cluster, topic)) ? await listed(cluster, topic) : []);
  return found;
};

const unknownTopic: ReadonlySet<unknown> = new Set(["UNKNOWN_TOPIC_OR_PARTITION"]);

/** Asks for the metadata of a topic together with all topics that were asked for before. @throws unless the server answers */
const isKnown = async (cluster: Cluster, topic: string): Promise<boolean> => {
  try {
    await cluster.addMultipleTargetTopics([topic]);
    return true;
  } catch (error) {
    if (!isProtocolError(error, unknownTopic)) throw error;
    await cluster.refreshMetadata(); // fails if one of the earlier topics is the unknown one
    return false;
  }
};

/** @throws when the server lists no partitions of the topic */
const listed = async (cluster: Cluster, topic: string): Promise<readonly number[]> => {
  const partitions = (): readonly number[] =>
    cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
  // The driver shares a request that is under way, and that one does not ask for this topic.
  if (partitions().length === 0) await cluster.refreshMetadata();
  if (partitions().length === 0)
    throw new Error(`kafka: the server lists no partitions of the topic ${topic}`);
  return partitions().toSorted((one, other) => one - other);
};

/** What a member held; nothing when it says so in another way. */
const heldIn = (data: Buffer | undefined): Readonly<Record<string, readonly number[]>> => {
  try {
    const found: unknown = JSON.parse(String(data));
    if (typeof found !== "object" || found === null) return {};
    return Object.fromEntries(Object.entries(found).filter(([, list]) => Array.isArray(list)));
  } catch {
    return {};
  }
};
