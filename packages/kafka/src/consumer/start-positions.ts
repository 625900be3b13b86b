import type { AdminClient } from "../client/admin-client.ts";
import type { Assignment } from "./kafka-delivery.ts";

/** Returns the end offset of each partition that has no committed offset. */
export const startPositions = async (
  admin: AdminClient,
  groupId: string,
  assignments: readonly Assignment[],
): Promise<readonly { readonly topic: string; readonly partition: number; readonly offset: string }[]> => {
  const topics = [...new Set(assignments.map(({ topic }) => topic))];
  if (topics.length === 0) return [];
  const committed = await admin.use((open) => open.fetchOffsets({ groupId, topics }));
  const offsets = new Map<string, bigint>(
    committed.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [`${topic}-${partition}`, BigInt(offset)] as const),
    ),
  );
  const missing = assignments.filter(({ name }) => (offsets.get(name) ?? -1n) < 0n);
  const ends = await endsOf(admin, [...new Set(missing.map(({ topic }) => topic))]);
  return missing.map(({ topic, partition, name }) => ({
    topic,
    partition,
    offset: String(ends.get(name) ?? 0n),
  }));
};

/** Returns the end offsets of all partitions of topics, by partition name. */
export const endsOf = async (
  admin: AdminClient,
  topics: readonly string[],
): Promise<ReadonlyMap<string, bigint>> => {
  const found = await Promise.all(
    topics.map(async (topic) => ({ topic, ends: await admin.use((open) => open.fetchTopicOffsets(topic)) })),
  );
  return new Map(
    found.flatMap(({ topic, ends }) =>
      ends.map(({ partition, high }) => [`${topic}-${partition}`, BigInt(high)] as const),
    ),
  );
};
