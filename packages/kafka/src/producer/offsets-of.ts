import type { RecordMetadata } from "kafkajs";
import type { BatchRecord } from "./batch.ts";

/** Partition and offset of a stored message. */
export interface Place {
  readonly partition?: string;
  readonly offset?: string;
}

/** Returns the position of each message, counting from the first offset of its partition. */
export const offsetsOf = (
  records: readonly BatchRecord[],
  stored: readonly RecordMetadata[],
): readonly Place[] => {
  const next = new Map(stored.map(({ partition, baseOffset }) => [partition, BigInt(baseOffset ?? -1)]));
  return records.map(({ chosen }) => {
    if (chosen === null) return {};
    const offset = next.get(chosen);
    if (offset === undefined || offset < 0n) return { partition: String(chosen) };
    next.set(chosen, offset + 1n);
    return { partition: String(chosen), offset: String(offset) };
  });
};
