import type { AnySaga } from "../definition/definition.ts";
import { type Branch, branchesOf, type Step } from "../definition/step.ts";
import { type BranchState, branchAt, type Instance } from "../store/instance.ts";

/** A branch to undo. */
export interface UndoTarget {
  /** The step to undo. */
  readonly step: Step;
  /** The work to undo. */
  readonly branch: Branch;
  /** State of the work. */
  readonly state: BranchState;
}

/**
 * Returns the remaining undos, in reverse order of the steps. A `tx` step that did not commit had no effect; a call that started may have taken effect
 * even if it failed.
 */
export const undoPlan = (definition: AnySaga, saga: Instance): readonly UndoTarget[] => {
  const plan: UndoTarget[] = [];
  for (const [position, step] of Array.from(definition.steps.entries()).toReversed())
    for (const branch of branchesOf(step).toReversed()) {
      const state = branchAt(saga, position, branch.name);
      if (state !== undefined && branch.undo !== null && mayHaveHappened(step, state))
        plan.push({ step, branch, state });
    }
  return plan;
};

const mayHaveHappened = ({ kind }: Step, { status }: BranchState): boolean =>
  kind === "tx" ? status === "done" : status !== "skipped" && status !== "undone";
