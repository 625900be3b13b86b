import type { AdminClient } from "../client/admin-client.ts";

/** A partition of a topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Returns the number of uncommitted offsets of a group, including offsets of transaction markers, which are not messages. @param isCounted selects the partitions */
export const groupLag = async (
  admin: AdminClient,
  groupId: string,
  topics: readonly string[],
  isCounted: (partition: TopicPartition) => boolean = () => true,
): Promise<number> => {
  if (topics.length === 0) return 0;
  const committed = await admin.use((open) => open.fetchOffsets({ groupId, topics: [...topics] }));
  const lags = await Promise.all(
    committed.map(async ({ topic, partitions }) => {
      const ends = await admin.use((open) => open.fetchTopicOffsets(topic));
      const offsets = new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
      const counted = ends.filter(({ partition }) => isCounted({ topic, partition }));
      return counted.map(({ partition, high, low }) => {
        const offset = offsets.get(partition) ?? -1n;
        return BigInt(high) - (offset < 0n ? BigInt(low) : offset);
      });
    }),
  );
  return Number(lags.flat().reduce((sum, lag) => sum + (lag > 0n ? lag : 0n), 0n));
};
