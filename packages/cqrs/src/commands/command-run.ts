import type { Transaction } from "@framework/database";
import type { WorkItem } from "@framework/durable/feature";
import type { AnyCommand } from "../definitions/command.ts";
import type { AppendLog } from "../events/append-log.ts";
import type { KeyClaim } from "../idempotency/stored-results.ts";
import { type OperationCall, OperationRun } from "../pipeline/operation-run.ts";

/** Support for a caller that reads its own writes: see `ExecuteOptions.sync`. */
export type SyncMode = "none" | "token" | "wait";

/** Immutable data of one call of a command. */
export interface CommandCall extends OperationCall<AnyCommand> {
  /** Unique id of the call. */
  readonly id: string;
  readonly idempotencyKey: string | null;
  readonly sync: SyncMode;
  /** Work item of a queued command; `null` for a direct call. */
  readonly item: Pick<WorkItem<unknown>, "complete"> | null;
}

/** Mutable state of one call of a command in the pipeline. */
export class CommandRun extends OperationRun<AnyCommand, CommandCall> {
  /** The idempotency key in use. */
  claim: KeyClaim | null = null;
  /** The error of a commit whose outcome is unknown; `null` once a later attempt has determined it. */
  unknown: unknown = null;
  /** Whether an attempt found that an earlier attempt of this call was committed. */
  wasCommitted = false;
}

/** One attempt of a call, in its transaction. */
export interface CommandAttempt {
  readonly run: CommandRun;
  readonly tx: Transaction;
  /** Records the appended events. */
  readonly log: AppendLog;
}
