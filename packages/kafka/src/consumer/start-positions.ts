import type { AdminClient } from "../client/admin-client.ts";
import type { Tenure } from "./kafka-delivery.ts";

/** Returns the ends of those partitions for which the group has committed nothing. */
export const startPositions = async (
  admin: AdminClient,
  groupId: string,
  tenures: readonly Tenure[],
): Promise<readonly { readonly topic: string; readonly partition: number; readonly offset: string }[]> => {
  const topics = [...new Set(tenures.map(({ topic }) => topic))];
  if (topics.length === 0) return [];
  const committed = await admin.use((open) => open.fetchOffsets({ groupId, topics }));
  const offsets = new Map<string, bigint>(
    committed.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [`${topic}-${partition}`, BigInt(offset)] as const),
    ),
  );
  const missing = tenures.filter(({ name }) => (offsets.get(name) ?? -1n) < 0n);
  const ends = await endsOf(admin, [...new Set(missing.map(({ topic }) => topic))]);
  return missing.map(({ topic, partition, name }) => ({
    topic,
    partition,
    offset: String(ends.get(name) ?? 0n),
  }));
};

/** Returns the ends of all partitions of topics, by name. */
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
