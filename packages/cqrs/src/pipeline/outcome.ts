import type { FailureKind } from "../failures/failure-kind.ts";

/** Result of a command or query. */
export interface Success {
  readonly ok: true;
  readonly value: unknown;
  /** The value as JSON, if it may be stored; `null` without a value. */
  readonly json?: string | null;
  /** Position of the last event that a command appended; `null` without one. */
  readonly position: string | null;
  /** Types of the events that it appended. */
  readonly types: ReadonlySet<string>;
  /** Whether the result is that of an earlier call with the same idempotency key. */
  readonly isReplay: boolean;
}

/** Why it failed; a command did nothing then. */
export interface Failure {
  readonly ok: false;
  readonly kind: FailureKind;
  readonly error: Error;
}

/** The outcome of a call at every level of the pipeline: errors are values. */
export type Outcome = Success | Failure;

/** For outcomes without events. */
export const noTypes: ReadonlySet<string> = new Set();
