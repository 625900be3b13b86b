import { isPromise } from "@framework/core/feature";
import type { CircuitTransition } from "./circuit.ts";

/** Calls a listener of transitions. Its error, or that of a promise that it returns, is only reported: it must not fail the call that caused the transition. */
export const notifyListener = (
  listener: ((transition: CircuitTransition) => unknown) | undefined,
  transition: CircuitTransition,
  report: (error: unknown) => void,
): void => {
  try {
    const result = listener?.(transition);
    if (isPromise(result)) result.then(undefined, report);
  } catch (error) {
    report(error);
  }
};
