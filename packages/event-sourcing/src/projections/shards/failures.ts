import { CommitUnknownError, DatabaseError, DatabaseUnavailableError } from "@framework/database";
import { LeaseLostError } from "@framework/durable/feature";
import { TooManyParkedError } from "./park-units.ts";
import { ShardMovedError } from "./shard-rows.ts";

/**
 * Whether a failure was caused by an event, and therefore counts as an attempt. `false` for an unavailable database or a moved shard; `true` for a transaction
 * timeout, because it would happen again.
 */
export const isCausedByEvent = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return error.kind !== "serialization" && error.kind !== "deadlock";
  if (error instanceof DatabaseUnavailableError) return error.code === "DATABASE_TRANSACTION_TIMEOUT";
  return !unrelated.some((each) => error instanceof each);
};

const unrelated = [CommitUnknownError, LeaseLostError, ShardMovedError, TooManyParkedError];
