import type { StepContext } from "../definition/context.ts";
import { sagaContext } from "./context-of.ts";
import type { SagaRun } from "./saga-run.ts";

/**
 * Returns a function that provides the context for each run of an attempt's transaction, which runs again after a conflict. Later runs get fresh copies of
 * the input and outputs, because an earlier run may have mutated them.
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
