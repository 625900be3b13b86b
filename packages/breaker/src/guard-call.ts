import type { Awaitable, Handler } from "@framework/core";
import { isPromise } from "@framework/core/feature";
import type { Circuit, Pass, Verdict } from "./circuit.ts";

/** Failure rules and refusal of one kind of calls. */
export interface Calls<In, Out> {
  isFailure(output: Out, input: In): boolean;
  /** Whether an error counts as a failure of the callee. */
  isFailingError(error: unknown, input: In): boolean;
  /** Returns the output of a refused call. */
  refuse(retryAfterSecs: number, input: In): Awaitable<Out>;
  /** Calls back once if the caller has left; at once if it left before. */
  onAbandoned?(input: In, listener: () => void): void;
}

/** Calls `next` if the circuit allows it, and records the outcome. */
export const guardCall = <In, Out>(
  circuit: Circuit,
  calls: Calls<In, Out>,
  input: In,
  next: Handler<In, Out>,
): Awaitable<Out> => {
  const pass = circuit.enter();
  return isPromise(pass)
    ? pass.then((granted) => proceed(granted, circuit, calls, input, next))
    : proceed(pass, circuit, calls, input, next);
};

const proceed = <In, Out>(
  pass: Pass | null,
  circuit: Circuit,
  calls: Calls<In, Out>,
  input: In,
  next: Handler<In, Out>,
): Awaitable<Out> => {
  if (pass === null) return calls.refuse(circuit.retryAfterSecs, input);
  if (typeof pass !== "number") calls.onAbandoned?.(input, () => circuit.leave(pass, "neutral"));
  const failed = (error: unknown): never => {
    settle(pass, circuit, calls, input, calls.isFailingError(error, input) ? "failure" : "neutral");
    throw error;
  };
  let output: Awaitable<Out>;
  try {
    output = next(input);
  } catch (error) {
    return failed(error);
  }
  const passOn = (value: Out): Out => {
    settle(pass, circuit, calls, input, calls.isFailure(value, input) ? "failure" : "success");
    return value;
  };
  return isPromise(output) ? output.then(passOn, failed) : passOn(output);
};

const settle = <In, Out>(
  pass: Pass,
  circuit: Circuit,
  calls: Calls<In, Out>,
  input: In,
  verdict: Verdict,
): void => {
  // Fast path of most calls: there is no failure count to reset.
  if (verdict === "success" && typeof pass === "number" && circuit.failures === 0) return;
  let isAbandoned = false;
  if (typeof pass === "number") calls.onAbandoned?.(input, () => (isAbandoned = true));
  circuit.leave(pass, isAbandoned ? "neutral" : verdict);
};
