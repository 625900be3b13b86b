import type { Awaitable, Handler } from "@framework/core";
import { isPromise } from "@framework/core/feature";
import type { Circuit, Permission, Outcome } from "./circuit.ts";

/** The failure rules for one kind of call, and the output of rejected calls. */
export interface FailurePolicy<In, Out> {
  /** Classifies the output of a call; `neutral` does not count. */
  outcomeOf(output: Out, input: In): Outcome;
  /** Whether an error counts as a failure of the callee. */
  isFailingError(error: unknown, input: In): boolean;
  /** Returns the output of a rejected call. */
  fallback(retryAfterSecs: number, input: In): Awaitable<Out>;
  /** Calls the listener once when the caller ends the call, such as by disconnecting; immediately if it already has. */
  onAbandoned?(input: In, listener: () => void): void;
}

/** Calls `next` if the circuit allows it, and records the outcome. */
export const guardCall = <In, Out>(
  circuit: Circuit,
  policy: FailurePolicy<In, Out>,
  input: In,
  next: Handler<In, Out>,
): Awaitable<Out> => {
  const permission = circuit.enter();
  return isPromise(permission)
    ? permission.then((granted) => proceed(granted, circuit, policy, input, next))
    : proceed(permission, circuit, policy, input, next);
};

const proceed = <In, Out>(
  permission: Permission | null,
  circuit: Circuit,
  policy: FailurePolicy<In, Out>,
  input: In,
  next: Handler<In, Out>,
): Awaitable<Out> => {
  if (permission === null) return policy.fallback(circuit.retryAfterSecs, input);
  if (typeof permission !== "number") policy.onAbandoned?.(input, () => circuit.leave(permission, "neutral"));
  const fail = (error: unknown): never => {
    let outcome: Outcome = "neutral"; // also if `isFailingError` throws
    try {
      if (policy.isFailingError(error, input)) outcome = "failure";
    } finally {
      settle(permission, circuit, policy, input, outcome);
    }
    throw error;
  };
  let output: Awaitable<Out>;
  try {
    output = next(input);
  } catch (error) {
    return fail(error);
  }
  const passOn = (value: Out): Out => {
    let outcome: Outcome = "neutral"; // also if `outcomeOf` throws
    try {
      outcome = policy.outcomeOf(value, input);
    } finally {
      settle(permission, circuit, policy, input, outcome);
    }
    return value;
  };
  return isPromise(output) ? output.then(passOn, fail) : passOn(output);
};

const settle = <In, Out>(
  permission: Permission,
  circuit: Circuit,
  policy: FailurePolicy<In, Out>,
  input: In,
  outcome: Outcome,
): void => {
  // Fast path: without earlier failures there is no count to reset.
  if (outcome === "success" && typeof permission === "number" && circuit.failures === 0) return;
  let isAbandoned = false;
  if (typeof permission === "number") policy.onAbandoned?.(input, () => (isAbandoned = true));
  circuit.leave(permission, isAbandoned ? "neutral" : outcome);
};
