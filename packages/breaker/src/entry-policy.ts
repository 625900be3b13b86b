import type { Invocation } from "@framework/core";
import type { ProtectedEntry } from "@framework/core/feature";
import { throwOpen } from "./breaker.ts";
import type { FailurePolicy } from "./guard-call.ts";

/** The status of a call that its client ended: it cancelled, or the deadline that it set has passed. */
const ENDED_BY_CLIENT = 499;

/**
 * Returns the failure rules for calls of a non-HTTP entry point, such as gRPC: a call fails if its status is in `failureCodes`. A call that the client
 * ended does not count: one client could otherwise open the circuit for all, with deadlines of a few milliseconds.
 */
export const entryPolicy = (
  entry: ProtectedEntry,
  failureCodes: readonly number[],
): FailurePolicy<Invocation, unknown> => ({
  outcomeOf: (outcome) => {
    const status = entry.statusOf(outcome);
    if (status === ENDED_BY_CLIENT) return "neutral";
    return failureCodes.includes(status) ? "failure" : "success";
  },
  isFailingError: () => true, // unreachable: inner levels convert errors to outcomes
  fallback: throwOpen,
  onAbandoned: ({ signal }, listener) => {
    const onAbort = (): void => {
      if (entry.statusOf(signal.reason) === ENDED_BY_CLIENT) listener();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  },
});
