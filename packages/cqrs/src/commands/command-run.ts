import type { Invocation } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { AnyCommand } from "../definitions/command.ts";
import type { PlaceOf } from "../definitions/valid-input.ts";
import type { FailureKind } from "../failures/failure-kind.ts";
import type { Handled } from "../handlers/handler-types.ts";
import type { KeyClaim } from "../idempotency/stored-results.ts";
import type { Deadline } from "../time/deadline.ts";

/** What is fixed about one call of a command. */
export interface CommandCall {
  readonly handled: Handled<AnyCommand>;
  /** The input before validation. */
  readonly raw: unknown;
  readonly invocation: Invocation;
  readonly tenant: string;
  readonly idempotencyKey: string | null;
  /** Whether guards have let the caller pass, or do not apply. */
  readonly isAllowed: boolean;
  /** Returns where a member of the input comes from, for messages. */
  readonly placeOf: PlaceOf;
  readonly deadline: Deadline;
}

/** One call of a command on its way through the pipeline. */
export class CommandRun {
  readonly call: CommandCall;
  /** The validated input. */
  input: unknown = undefined;
  /** The idempotency key in use. */
  claim: KeyClaim | null = null;
  /** Attempts that reached the database. */
  attempts = 0;
  /** The error of a commit whose outcome is unknown, until a later attempt finds out. */
  unknown: unknown = null;
  /** Whether a later attempt found that an earlier one of this call was committed. */
  wasCommitted = false;

  constructor(call: CommandCall) {
    this.call = call;
  }

  get command(): AnyCommand {
    return this.call.handled.operation;
  }

  get signal(): AbortSignal {
    return this.call.deadline.signal;
  }
}

/** One attempt of a call, in its transaction. */
export interface CommandAttempt {
  readonly run: CommandRun;
  readonly tx: Transaction;
}

/** What a command did. */
export interface CommandSuccess {
  readonly ok: true;
  readonly value: unknown;
  /** Whether the result is that of an earlier call with the same idempotency key. */
  readonly isReplay: boolean;
}

/** Why a command did nothing. */
export interface CommandFailure {
  readonly ok: false;
  readonly kind: FailureKind;
  readonly error: Error;
}

/** The outcome of a call at every level of the pipeline: errors are values. */
export type CommandOutcome = CommandSuccess | CommandFailure;
