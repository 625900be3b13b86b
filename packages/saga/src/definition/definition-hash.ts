import { createHash } from "node:crypto";
import { branchesOf, type Step } from "./step.ts";

/** Returns a hash of the parts of a definition on which stored instances depend: kinds, names, branches, number of conditions and undos of the steps, in order. */
export const definitionHash = (steps: readonly Step[]): string => {
  const shape = steps.map((step) => [
    step.kind,
    step.name,
    step.conditions.length,
    branchesOf(step).map(({ name, undo }) => [name, undo !== null]),
  ]);
  return createHash("sha256").update(JSON.stringify(shape)).digest("hex").slice(0, 32);
};
