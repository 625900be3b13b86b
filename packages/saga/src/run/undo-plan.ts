import type { AnySaga } from "../definition/definition.ts";
import { type Branch, branchesOf, type Step } from "../definition/step.ts";
import { type BranchState, branchAt, type Instance } from "../store/instance.ts";

/** A branch that has to be undone. */
export interface Undoing {
  /** The step to undo. */
  readonly step: Step;
  /** The work to undo. */
  readonly branch: Branch;
  /** What is known of the work. */
  readonly state: BranchState;
}

/**
 * Returns what is left to undo, in order: the reverse of all steps that started. A `tx` step that did not commit never happened; a call that started may
 * have, whatever its error was.
 */
export const undoPlan = (definition: AnySaga, saga: Instance): readonly Undoing[] => {
  const plan: Undoing[] = [];
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
