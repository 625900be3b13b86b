import { toError } from "@framework/core/feature";
import { PermanentFailure } from "../errors/messaging-error.ts";
import type { Outcome } from "./outcome.ts";

/** Returns the outcome of a handler that threw. */
export const outcomeOfThrown = (error: unknown): Outcome => {
  if (PermanentFailure.is(error)) return { kind: "reject", error };
  return { kind: "retry", error, delayMs: null };
};

/** Returns the milliseconds until a circuit half-opens if a handler failed with `CircuitOpenError`, from 50 to 300,000; else `null`. */
export const openCircuitMs = (thrown: unknown): number | null => {
  if (!Error.isError(thrown)) return null;
  const error = toError(thrown) as Error & { readonly extras?: { readonly retry_after?: unknown } };
  if (error.name !== "CircuitOpenError") return null;
  return Math.min(Math.max(secondsIn(error.extras) || 1, 0.05), 300) * 1000;
};

const secondsIn = (extras: { readonly retry_after?: unknown } | undefined): number => {
  try {
    return Number(extras?.retry_after);
  } catch {
    return NaN; // an error of another package, with another `retry_after`
  }
};
