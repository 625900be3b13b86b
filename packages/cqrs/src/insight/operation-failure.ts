import type { AnyOperation } from "../definitions/operation.ts";
import type { FailureKind } from "../failures/failure-kind.ts";

/** A failure as observers see it. */
export interface OperationFailure {
  /** Why it failed. */
  readonly kind: FailureKind;
  /** The error as the caller gets it. */
  readonly error: Error;
  /** The command or query. */
  readonly operation: AnyOperation;
  /** Attempts that were made, from 1; 0 when the handler was not reached. */
  readonly attempts: number;
}
