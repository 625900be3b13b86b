import type { RecordMetadata } from "kafkajs";
import type { BatchRecord } from "./batch.ts";

/** Partition and offset of a stored message. */
export interface MessagePosition {
  readonly partition?: string;
  readonly offset?: string;
}

/** Returns the position of each message, counting from the first offset of its partition. */
export const offsetsOf = (
  records: readonly BatchRecord[],
  stored: readonly RecordMetadata[],
): readonly MessagePosition[] => {
  const nextOffsets = new Map(
    stored.map(({ partition, baseOffset }) => [partition, BigInt(baseOffset ?? -1)]),
  );
  return records.map(({ chosenPartition }) => {
    if (chosenPartition === null) return {};
    const offset = nextOffsets.get(chosenPartition);
    if (offset === undefined || offset < 0n) return { partition: String(chosenPartition) };
    nextOffsets.set(chosenPartition, offset + 1n);
    return { partition: String(chosenPartition), offset: String(offset) };
  });
};
