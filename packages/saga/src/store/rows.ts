import type { SagaStatus } from "../transitions/transitions.ts";
import type { BranchState, BranchStatus, Instance } from "./instance.ts";

/** A row of `framework_sagas`. */
export interface InstanceRow {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly key: string;
  readonly status: SagaStatus;
  readonly position: number;
  readonly revision: number;
  readonly is_final: number;
  readonly input: string;
  readonly waits_for: string | null;
  readonly wait_until: number | null;
  readonly active_ms: number;
  readonly undo_since: number | null;
  readonly error: string | null;
  readonly trace: string | null;
  readonly now: number;
}

/** A row of `framework_saga_steps`. */
export interface BranchRow {
  readonly position: number;
  readonly branch: string;
  readonly status: BranchStatus;
  readonly attempts: number;
  readonly undo_attempts: number;
  readonly output: string | null;
  readonly error: string | null;
}

export const toInstance = (row: InstanceRow, branches: readonly BranchState[]): Instance => ({
  id: row.id,
  name: row.name,
  version: row.version,
  hash: row.hash,
  key: row.key,
  status: row.status,
  position: row.position,
  revision: row.revision,
  isFinal: row.is_final === 1,
  input: row.input,
  waitsFor: row.waits_for,
  waitUntil: row.wait_until,
  activeMs: row.active_ms,
  undoSince: row.undo_since,
  error: row.error,
  trace: row.trace,
  now: row.now,
  branches,
});

export const toBranch = (row: BranchRow): BranchState => ({
  position: row.position,
  branch: row.branch,
  status: row.status,
  attempts: row.attempts,
  undoAttempts: row.undo_attempts,
  output: row.output,
  error: row.error,
});
