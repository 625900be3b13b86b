import { stepLabel } from "../run/saga-run.ts";
import type { StepScopes } from "../run/step-calls.ts";
import type { AnySaga } from "../definition/definition.ts";
import { branchesOf } from "../definition/step.ts";

/** Registers the dependencies of the steps for the check at the app's start. */
export const checkInjections = ({ name, version, steps }: AnySaga, scopes: StepScopes): void => {
  for (const step of steps)
    for (const branch of branchesOf(step))
      if (branch.inject !== undefined)
        scopes.check(`saga ${name} version ${version} step ${stepLabel(step, branch)}`, branch.inject);
};
