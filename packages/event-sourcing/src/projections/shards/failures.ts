import { CommitUnknownError, DatabaseError, DatabaseUnavailableError } from "@framework/database";
import { LeaseLostError } from "@framework/durable/feature";
import { TooManyParkedError } from "./park-units.ts";
import { ShardMovedError } from "./shard-rows.ts";

/**
 * Whether an event is to blame for a failure. A database that is away, or a shard that moved, says nothing about it: nothing is counted or parked. A
 * transaction that exceeds its time would exceed it again.
 */
export const isEventsFault = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return error.kind !== "serialization" && error.kind !== "deadlock";
  if (error instanceof DatabaseUnavailableError) return error.code === "DATABASE_TRANSACTION_TIMEOUT";
  return !others.some((each) => error instanceof each);
};

const others = [CommitUnknownError, LeaseLostError, ShardMovedError, TooManyParkedError];
