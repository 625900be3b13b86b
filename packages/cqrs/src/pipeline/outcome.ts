import type { FailureKind } from "../failures/failure-kind.ts";

/** Result of a command or query. */
export interface Success {
  readonly ok: true;
  readonly value: unknown;
  /** The value as JSON, for storage; `null` if there is no value or it is never stored. */
  readonly json?: string | null;
  /** Position of the last event that a command appended; `null` if there is none. */
  readonly position: string | null;
  /** Types of the events that it appended. */
  readonly types: ReadonlySet<string>;
  /** Whether it is the result of an earlier call with the same idempotency key. */
  readonly isReplay: boolean;
}

/** Failure of a command or query. A failed command has changed nothing, unless the outcome of its commit is unknown. */
export interface Failure {
  readonly ok: false;
  readonly kind: FailureKind;
  readonly error: Error;
}

/** Outcome of a call: errors are values in all middleware of the pipeline. */
export type Outcome = Success | Failure;

/** `types` of outcomes without events. */
export const noTypes: ReadonlySet<string> = new Set();
