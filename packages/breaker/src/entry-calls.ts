import type { Invocation } from "@framework/core";
import type { ProtectedEntry } from "@framework/core/feature";
import { throwOpen } from "./breaker.ts";
import type { Calls } from "./guard-call.ts";

/** The status of a call that its client cancelled. */
const CANCELLED = 499;

/** Returns rules that classify the calls of an entry point other than routes by their status, unless the client has cancelled. */
export const entryCalls = (
  entry: ProtectedEntry,
  failureCodes: readonly number[],
): Calls<Invocation, unknown> => ({
  isFailure: (outcome) => failureCodes.includes(entry.statusOf(outcome)),
  isFailingError: () => true, // unreachable: inner levels convert errors to outcomes
  fallback: throwOpen,
  onAbandoned: ({ signal }, listener) => {
    const onAbort = (): void => {
      if (entry.statusOf(signal.reason) === CANCELLED) listener();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  },
});
