import type { AnySaga } from "../definition/definition.ts";
import { type Branch, branchesOf, type Step } from "../definition/step.ts";
import { type BranchState, branchAt, type Instance, withBranches } from "../store/instance.ts";
import { sagaContext } from "./context-of.ts";

/** The next step of an instance. */
export interface Arrival {
  readonly position: number;
  /** The step at the position; `null` after the last. */
  readonly step: Step | null;
  readonly isFinal: boolean;
  /** Records of the steps skipped before it. */
  readonly skipped: readonly BranchState[];
  /** The error of a condition that threw. */
  readonly problem?: unknown;
}

/**
 * Finds the first step from `position` whose conditions hold, passing pivots. Conditions of a step that has begun are not evaluated again: its call may have
 * taken effect, so it must be repeated or undone.
 */
export const arriveAt = (definition: AnySaga, saga: Instance, position: number): Arrival => {
  const skipped: BranchState[] = [];
  let { isFinal } = saga;
  for (let at = position; ; at++) {
    const step = definition.steps[at];
    if (step === undefined) return { position: at, step: null, isFinal, skipped };
    if (hasBegun(saga, at)) return { position: at, step, isFinal, skipped };
    try {
      const sagaSoFar = { ...saga, branches: withBranches(saga.branches, skipped) };
      if (!step.conditions.every((holds) => holds(sagaContext(definition, sagaSoFar) as never))) {
        skipped.push(...skippedBranches(step, at));
        continue;
      }
    } catch (problem) {
      return { position: at, step, isFinal, skipped, problem };
    }
    if (step.kind !== "pivot") return { position: at, step, isFinal, skipped };
    isFinal = true;
  }
};

/** Whether the step at a position has attempts, or its wait or sleep has begun. */
const hasBegun = ({ position, waitUntil, branches }: Instance, at: number): boolean =>
  branches.some((branch) => branch.position === at) || (at === position && waitUntil !== null);

/** Returns the records of a skipped step. */
export const skippedBranches = (step: Step, position: number): readonly BranchState[] => {
  const names = step.kind === "call" ? branchesOf(step).map(({ name }) => name) : [""];
  return names.map((branch) => ({ ...newBranch(position, branch), status: "skipped" }));
};

/**
 * Returns the records of the first attempts of calls with `onUnknown: "retry"`. They must be stored before the effect, so the commit that advances to the
 * step writes them.
 */
export const intents = (step: Step | null, position: number): readonly BranchState[] =>
  step?.kind === "call"
    ? step.branches
        .filter(({ onUnknown }) => onUnknown === "retry")
        .map(({ name }) => newBranch(position, name))
    : [];

/** Returns a branch at its first attempt. */
export const newBranch = (position: number, branch: string): BranchState => ({
  position,
  branch,
  status: "started",
  attempts: 1,
  undoAttempts: 0,
  output: null,
  error: null,
});

/** Whether a branch needs no more attempts. */
export const isSettled = (saga: Instance, position: number, branch: string): boolean => {
  const status = branchAt(saga, position, branch)?.status;
  return status === "done" || status === "skipped";
};

/** Whether the outcome of the last attempt is unknown, and `check` or an operator must resolve it. */
export const hasUnknownOutcome = ({ onUnknown }: Branch, state: BranchState | undefined): boolean =>
  onUnknown !== "retry" && state?.status === "started";

/** Returns the branch at its next attempt, or at the same attempt if its worker was lost. */
export const attemptAt = (saga: Instance, position: number, branch: string): BranchState => {
  const state = branchAt(saga, position, branch);
  if (state === undefined) return newBranch(position, branch);
  if (state.status === "started") return state;
  return { ...state, status: "started", attempts: state.attempts + 1 };
};
