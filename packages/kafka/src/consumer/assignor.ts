import type { Cluster, PartitionAssigner } from "kafkajs";
import { kafkajs } from "../client/kafkajs.ts";
import { isProtocolError } from "../client/protocol-error.ts";
import { type Claim, distribute } from "./distribute-partitions.ts";

/** Dependencies of `assignorOf`. */
export interface AssignorParts {
  /** Returns the partitions that the consumer holds, by topic. */
  readonly held: () => Readonly<Record<string, readonly number[]>>;
  /** Called before each request to join the group. */
  readonly onJoin: () => void;
}

/**
 * Creates an assignor that distributes the partitions of each topic evenly over its subscribers, and moves as few as possible.
 *
 * The assignor of kafkajs also assigns partitions to members without a subscription to their topic, so no member reads them.
 */
export const assignorOf = ({ held, onJoin }: AssignorParts): PartitionAssigner => {
  const { AssignerProtocol } = kafkajs();
  const { MemberAssignment, MemberMetadata } = AssignerProtocol;
  return ({ cluster }) => ({
    name: "framework-sticky",
    version: 1,
    protocol({ topics }) {
      onJoin();
      const userData = Buffer.from(JSON.stringify(held()));
      return { name: "framework-sticky", metadata: MemberMetadata.encode({ version: 1, topics, userData }) };
    },
    async assign({ members }) {
      const claims = members.map(({ memberId, memberMetadata }): Claim => {
        const found = MemberMetadata.decode(memberMetadata);
        return { member: memberId, topics: found?.topics ?? [], held: heldIn(found?.userData) };
      });
      const partitions = await partitionsOf(cluster, [...new Set(claims.flatMap(({ topics }) => topics))]);
      return Array.from(distribute(claims, partitions), ([memberId, assignment]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({ version: 1, assignment, userData: Buffer.alloc(0) }),
      }));
    },
  });
};

/**
 * Returns the partitions by topic; none for a topic that does not exist.
 *
 * Any other failure fails the join, which is then retried: an omitted topic would have no consumer until the next rebalance.
 */
const partitionsOf = async (
  cluster: Cluster,
  topics: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const found = new Map<string, readonly number[]>();
  for (const topic of topics)
    found.set(topic, (await addTopic(cluster, topic)) ? await listPartitions(cluster, topic) : []);
  return found;
};

const unknownTopic: ReadonlySet<unknown> = new Set(["UNKNOWN_TOPIC_OR_PARTITION"]);

/** Adds a topic to the metadata of the cluster. Returns whether it exists. @throws if the metadata request fails */
const addTopic = async (cluster: Cluster, topic: string): Promise<boolean> => {
  try {
    await cluster.addMultipleTargetTopics([topic]);
    return true;
  } catch (error) {
    if (!isProtocolError(error, unknownTopic)) throw error;
    await cluster.refreshMetadata(); // throws if an earlier topic is the unknown one
    return false;
  }
};

/** Returns the sorted partitions of a topic. @throws if the server lists none */
const listPartitions = async (cluster: Cluster, topic: string): Promise<readonly number[]> => {
  const partitions = (): readonly number[] =>
    cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
  // kafkajs may have reused a pending request that did not include this topic.
  if (partitions().length === 0) await cluster.refreshMetadata();
  if (partitions().length === 0)
    throw new Error(`kafka: the server lists no partitions of the topic ${topic}`);
  return partitions().toSorted((one, other) => one - other);
};

/** Parses the partitions that a member held; empty for another format. */
const heldIn = (data: Buffer | undefined): Readonly<Record<string, readonly number[]>> => {
  try {
    const found: unknown = JSON.parse(String(data));
    if (typeof found !== "object" || found === null) return {};
    return Object.fromEntries(Object.entries(found).filter(([, list]) => Array.isArray(list)));
  } catch {
    return {};
  }
};
