import { isProtocolError } from "../client/protocol-error.ts";
import type { Batch } from "./batch.ts";

/** Errors of partitions that cannot store messages yet: their topic is new, a leader is being elected, or replicas are missing. */
const leaderless: ReadonlySet<unknown> = new Set([
  "NOT_LEADER_FOR_PARTITION",
  "LEADER_NOT_AVAILABLE",
  "REPLICA_NOT_AVAILABLE",
  "NOT_ENOUGH_REPLICAS",
  "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
]);

/**
 * Sends a batch again while its partitions have no leader, until it is cancelled.
 *
 * `send` must use the same producer, whose sequence numbers prevent duplicates. Each call already makes several attempts with pauses, in about three seconds; an
 * election may take longer.
 *
 * @throws any other error of `send`
 */
export const untilLeader = async <T>(batch: Batch, send: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (batch.reason !== null || !isProtocolError(error, leaderless)) throw error;
      batch.lastError = error;
    }
  }
};
