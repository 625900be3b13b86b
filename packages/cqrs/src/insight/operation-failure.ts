import type { AnyOperation } from "../definitions/operation.ts";
import type { FailureKind } from "../failures/failure-kind.ts";

/** A failure, as passed to observers. */
export interface OperationFailure {
  /** Kind of the failure. */
  readonly kind: FailureKind;
  /** The error as the caller gets it. */
  readonly error: Error;
  /** The command or query. */
  readonly operation: AnyOperation;
  /** Number of attempts; 0 if the call failed before the first one. */
  readonly attempts: number;
}
