import type { HttpRequest } from "@framework/core";
import type { DecisionReasons } from "@framework/core/feature";
import type { CircuitRegistry } from "./circuit-registry.ts";

/** Wraps the middleware to report the state of the request's circuit to request traces, such as `framework explain`. */
export const withReasons =
  (circuits: CircuitRegistry, reasons: DecisionReasons): CircuitRegistry["middleware"] =>
  (request, next) => {
    reasons.give(request, stateFor(circuits, request));
    return circuits.middleware(request, next);
  };

const stateFor = (circuits: CircuitRegistry, request: HttpRequest): string => {
  const circuit = circuits.circuitOf(request);
  if (circuit === null) return "the route has no circuit";
  const { name, state, failures, failureThreshold, halfOpenTarget, retryAfterSecs } = circuit;
  if (state === "closed")
    return `the circuit ${name} is closed: ${failures} of ${failureThreshold} failures in a row`;
  if (state === "open") return `the circuit ${name} is open: next trial in ${retryAfterSecs} s`;
  const trials =
    halfOpenTarget === 1 ? "1 concurrent trial call passes" : `${halfOpenTarget} concurrent trial calls pass`;
  return `the circuit ${name} is half-open: at most ${trials}`;
};
