import { createHash } from "node:crypto";
import { branchesOf, type Step } from "./step.ts";

/**
 * Returns a hash of the parts of a definition on which stored instances depend: for each step its kind, name and number of conditions, and for each branch
 * its name and whether it has an undo.
 */
export const definitionHash = (steps: readonly Step[]): string => {
  const shape = steps.map((step) => [
    step.kind,
    step.name,
    step.conditions.length,
    branchesOf(step).map(({ name, undo }) => [name, undo !== null]),
  ]);
  return createHash("sha256").update(JSON.stringify(shape)).digest("hex").slice(0, 32);
};
