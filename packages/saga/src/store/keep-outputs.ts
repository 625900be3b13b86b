import type { Statement, Transaction } from "@framework/database";
import type { BranchState } from "./instance.ts";

/**
 * Stores outputs of functions that ended after their saga was cancelled, for the undos; changes no other state. @param held SQL condition that the worker
 * still holds the claim
 */
export const keepOutputs = async (
  tx: Transaction,
  id: string,
  branches: readonly BranchState[],
  held: Statement,
): Promise<void> => {
  for (const { position, branch, output } of branches) {
    if (output === null) continue;
    await tx.execute`UPDATE framework_saga_steps SET output = ${output}
      WHERE saga_id = ${id} AND position = ${position} AND branch = ${branch}
      AND EXISTS (SELECT 1 FROM framework_sagas WHERE id = ${id} AND status = ${"cancelling"}) AND ${held}`;
  }
};
