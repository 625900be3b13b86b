import type { SagaStatus } from "../transitions/transitions.ts";

/**
 * State of a branch. `started`: an attempt may be under way, or may have been when its worker was lost. `retrying`: an attempt failed, and another will
 * follow. `failed`: all attempts failed, or the business refused.
 */
export type BranchStatus = "started" | "retrying" | "done" | "failed" | "skipped" | "undone";

/** What a branch of a step did. */
export interface BranchState {
  /** Index of the step. */
  readonly position: number;
  /** Name of the branch; empty for a step with one. */
  readonly branch: string;
  /** How far the work is. */
  readonly status: BranchStatus;
  /** Attempts that have begun. */
  readonly attempts: number;
  /** Attempts at undoing that have begun. */
  readonly undoAttempts: number;
  /** JSON; `null` without one. */
  readonly output: string | null;
  /** JSON of the last failure; `null` without one. */
  readonly error: string | null;
}

/** An instance as it is stored. */
export interface Instance {
  /** Id of the instance. */
  readonly id: string;
  /** Name of the saga. */
  readonly name: string;
  /** Version of the definition. */
  readonly version: number;
  /** Hash of the list of steps. */
  readonly hash: string;
  /** Key of the instance. */
  readonly key: string;
  /** How far the saga is. */
  readonly status: SagaStatus;
  /** Index of the step that is next. */
  readonly position: number;
  /** Grows with each change. */
  readonly revision: number;
  /** Whether the pivot has passed. */
  readonly isFinal: boolean;
  /** JSON. */
  readonly input: string;
  /** Name of the message that it waits for; `null` without one. */
  readonly waitsFor: string | null;
  /** When a wait or sleep ends, by the database's clock; `null` outside of one. */
  readonly waitUntil: number | null;
  /** Milliseconds of active time: its turns and the planned pauses between attempts, forward and back. */
  readonly activeMs: number;
  /** Its active time when it began to be undone, or when an operator last decided about the undos; `null` before. */
  readonly undoSince: number | null;
  /** JSON of the failure that paused, undid or stopped it. */
  readonly error: string | null;
  /** Trace of the starter; `null` without one. */
  readonly trace: string | null;
  /** Time of the database when the instance was read. */
  readonly now: number;
  /** States of the works that have begun. */
  readonly branches: readonly BranchState[];
}

/** Returns the state of a branch; `undefined` before it began. */
export const branchAt = (
  { branches }: Pick<Instance, "branches">,
  position: number,
  name: string,
): BranchState | undefined => branches.find((each) => each.position === position && each.branch === name);

/** Returns branches with some of them replaced or added. */
export const withBranches = (
  branches: readonly BranchState[],
  changed: readonly BranchState[],
): readonly BranchState[] => {
  const isChanged = ({ position, branch }: BranchState): boolean =>
    changed.some((each) => each.position === position && each.branch === branch);
  return [...branches.filter((each) => !isChanged(each)), ...changed];
};
