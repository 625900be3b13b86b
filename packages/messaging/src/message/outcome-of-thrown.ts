import { PermanentFailure } from "../errors/messaging-error.ts";
import type { Outcome } from "./outcome.ts";

/** The outcome that an error of a handler stands for. */
export const outcomeOfThrown = (error: unknown): Outcome => {
  if (PermanentFailure.is(error)) return { kind: "reject", error };
  return { kind: "retry", error, delayMs: null };
};

/** Milliseconds for which a circuit is open, if that is why a handler failed; else `null`. */
export const openCircuitMs = (error: unknown): number | null => {
  if (!Error.isError(error) || error.name !== "CircuitOpenError") return null;
  const { extras } = error as { extras?: { readonly retry_after?: unknown } };
  return Math.min(Math.max(Number(extras?.retry_after ?? 1) || 1, 0.05), 300) * 1000;
};
