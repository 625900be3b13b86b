import { isProtocolError } from "../client/protocol-error.ts";
import type { Batch } from "./batch.ts";

/** Answers of a server for partitions that cannot take messages yet: their topic is new, a leader is being elected, or replicas are missing. */
const unled: ReadonlySet<unknown> = new Set([
  "NOT_LEADER_FOR_PARTITION",
  "LEADER_NOT_AVAILABLE",
  "REPLICA_NOT_AVAILABLE",
  "NOT_ENOUGH_REPLICAS",
  "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
]);

/**
 * Sends a batch again for as long as its partitions have no leader, until it is cancelled.
 *
 * It must go through the same producer: the numbers of its batches are the same then, so nothing is stored twice. The driver pauses between its own
 * tries, of which each call makes several; they take about three seconds, which an election may exceed.
 *
 * @throws what `send` throws otherwise
 */
export const untilLed = async <T>(batch: Batch, send: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (batch.reason !== null || !isProtocolError(error, unled)) throw error;
      batch.lastError = error;
    }
  }
};
