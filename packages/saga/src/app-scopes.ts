import { createInvocation, type Host } from "@framework/core/feature";
import { stepLabel } from "./run/saga-run.ts";
import type { StepScopes } from "./run/step-calls.ts";

/** Returns the scopes of an app, where each call of a step's function is an invocation. */
export const scopesOf = ({ state }: Pick<Host, "state">): StepScopes => ({
  check: (label, inject) => void state.inject(label, inject),
  invoke({ saga, step, branch, context }, work) {
    const { id, key, attempt, signal } = context;
    const name = `${saga} ${stepLabel(step, branch)}`;
    const invocation = createInvocation({ kind: "saga", name, params: { id, key, attempt }, signal });
    return state.invoke(invocation, branch.inject, (dependencies) => work(dependencies as never));
  },
});
