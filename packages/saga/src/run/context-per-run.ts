import type { StepContext } from "../definition/context.ts";
import { sagaContext } from "./context-of.ts";
import type { SagaRun } from "./saga-run.ts";

/**
 * Returns the context of each run of an attempt's transaction, which runs again after a conflict: the first run has the context of the attempt, and each further
 * one its own input and outputs, because an earlier run may have changed them.
 */
export const contextPerRun = (
  { definition, saga }: Pick<SagaRun, "definition" | "saga">,
  context: StepContext,
): (() => StepContext) => {
  let hasRun = false;
  return () => {
    const own = hasRun ? { ...context, ...sagaContext(definition, saga) } : context;
    hasRun = true;
    return own;
  };
};
