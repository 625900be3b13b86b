import type { Cluster, PartitionAssigner } from "kafkajs";
import { kafkajs } from "../client/kafkajs.ts";
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

/** Partitions by topic; topics that do not exist are left out. */
const partitionsOf = async (
  cluster: Cluster,
  topics: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const add = cluster as Cluster & { addMultipleTargetTopics(topics: readonly string[]): Promise<void> };
  for (const topic of topics) await add.addMultipleTargetTopics([topic]).catch(() => {});
  return new Map(
    topics.map((topic) => [
      topic,
      cluster
        .findTopicPartitionMetadata(topic)
        .map(({ partitionId }) => partitionId)
        .toSorted((one, other) => one - other),
    ]),
  );
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
