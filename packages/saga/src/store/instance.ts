import type { SagaStatus } from "../transitions/transitions.ts";

/**
 * State of a branch. `started`: an attempt may be running, or may have run when its worker was lost. `retrying`: an attempt failed, and another will
 * follow. `failed`: the last attempt failed, and no other follows unless an operator decides so.
 */
export type BranchStatus = "started" | "retrying" | "done" | "failed" | "skipped" | "undone";

/** State of a branch of a step. */
export interface BranchState {
  /** Index of the step. */
  readonly position: number;
  /** Name of the branch; empty if the step has only one. */
  readonly branch: string;
  /** Status of the branch. */
  readonly status: BranchStatus;
  /** Number of attempts that have begun. */
  readonly attempts: number;
  /** Number of attempts at the undo. */
  readonly undoAttempts: number;
  /** Output as JSON; `null` if there is none. */
  readonly output: string | null;
  /** JSON of the last failure; `null` if there is none. */
  readonly error: string | null;
}

/** A stored instance. */
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
  /** Status of the saga. */
  readonly status: SagaStatus;
  /** Index of the next step. */
  readonly position: number;
  /** Increases with each change. */
  readonly revision: number;
  /** Whether the pivot has passed. */
  readonly isFinal: boolean;
  /** Input as JSON. */
  readonly input: string;
  /** Name of the message for which it waits; `null` if there is none. */
  readonly waitsFor: string | null;
  /** When a wait or sleep ends, by the database's clock; `null` outside one. */
  readonly waitUntil: number | null;
  /** Active time in milliseconds: runs and planned pauses between attempts, of steps and undos. */
  readonly activeMs: number;
  /** Value of `activeMs` when compensation began or an operator last decided about an undo; `null` before. */
  readonly undoSince: number | null;
  /** JSON of the failure that paused or compensated the saga, or made it stuck; `null` if there is none. */
  readonly error: string | null;
  /** `traceparent` of the operation that started it; `null` if there is none. */
  readonly trace: string | null;
  /** The database's time when the instance was read. */
  readonly now: number;
  /** States of the branches that have begun or were skipped. */
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
