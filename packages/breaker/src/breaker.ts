import { randomUUID } from "node:crypto";
import { type Awaitable, CircuitOpenError, type Middleware } from "@framework/core";
import { type Clock, isFailureOfCallee, statusOf, systemClock } from "@framework/core/feature";
import { Circuit, type CircuitState, type CircuitTransition } from "./circuit.ts";
import { CircuitBreakerConfig } from "./circuit-config.ts";
import { LocalCircuitStore } from "./circuit-store.ts";
import { type FailurePolicy, guardCall } from "./guard-call.ts";
import { notifyListener } from "./transition-listener.ts";

/** Options of `breaker`. */
export interface BreakerOptions<In, Out> {
  /** Name of the breaker in the transitions passed to `onTransition`. @default "breaker" */
  readonly name?: string;
  /** Failures in a row that open it. @default 5 */
  readonly failureThreshold?: number;
  /** Seconds for which it stays open, and for which a trial keeps its slot. @default 30 */
  readonly resetTimeout?: number;
  /** Successful trials that close it, and maximum concurrent trials. @default 3 */
  readonly halfOpenTarget?: number;
  /** Values of an output's `status` that count as failures. @default [500, 502, 503, 504] */
  readonly failureCodes?: readonly number[];
  /** Whether an output is a failure. @default its `status` is one of `failureCodes` */
  readonly isFailure?: (output: Out, input: In) => boolean;
  /** Whether an error is a failure; other errors do not count. @default every error, except errors of calls that the caller aborted or the client refused to send */
  readonly isFailingError?: (error: unknown, input: In) => boolean;
  /** Returns the output of a rejected call. @default throws a CircuitOpenError, status 503 */
  readonly fallback?: (retryAfterSecs: number, input: In) => Awaitable<Out>;
  /** Called with every change of state. @default none */
  readonly onTransition?: (transition: CircuitTransition) => void;
  /** The clock, for tests. @default the system clock */
  readonly clock?: Clock;
}

/** A breaker around calls of any kind. */
export interface Breaker<In, Out> extends Middleware<In, Out> {
  /** Current state. */
  readonly state: CircuitState;
  /** Opens it for `resetTimeout`. */
  trip(): void;
  /** Closes it. */
  reset(): void;
}

/**
 * Creates a circuit breaker as a middleware, for outgoing calls, message handlers or commands of this process.
 *
 * Outputs and errors pass through unchanged. `app.circuits.around` creates a circuit shared by all workers.
 *
 * @example
 * const payments = breaker<Order, Receipt>({ failureThreshold: 3, isFailure: (receipt) => !receipt.accepted });
 * const receipt = await payments(order, charge);
 * @throws CORE_BAD_CONFIG
 */
export const breaker = <In, Out>(options: BreakerOptions<In, Out> = {}): Breaker<In, Out> => {
  const { name = "breaker", isFailure: _, isFailingError: _error, fallback: _fallback, ...given } = options;
  const config = CircuitBreakerConfig.of(given);
  const { onTransition, clock = systemClock, resetTimeout } = config;
  const { failureThreshold, halfOpenTarget } = config;
  const circuit = new Circuit({
    name,
    failureThreshold,
    halfOpenTarget,
    resetMs: resetTimeout * 1000,
    id: randomUUID(),
    clock,
    store: new LocalCircuitStore(),
    onTransition: (transition) =>
      notifyListener(onTransition, transition, (error) =>
        console.error("onTransition of a breaker failed", error),
      ),
  });
  const policy = policyOf(options, config.failureCodes);
  const middleware: Middleware<In, Out> = function breaker(input, next) {
    return guardCall(circuit, policy, input, next);
  };
  return Object.defineProperties(middleware, {
    state: { get: () => circuit.state },
    trip: { value: () => void circuit.force("open") },
    reset: { value: () => void circuit.force("closed") },
  }) as Breaker<In, Out>;
};

/** Returns the failure rules of a breaker's options. */
export const policyOf = <In, Out>(
  { isFailure, isFailingError, fallback }: BreakerOptions<In, Out>,
  failureCodes: readonly number[],
): FailurePolicy<In, Out> => {
  const hasFailed = isFailure ?? ((output) => failureCodes.includes(statusOf(output)));
  return {
    outcomeOf: (output, input) => (hasFailed(output, input) ? "failure" : "success"),
    isFailingError: isFailingError ?? isFailureOfCallee,
    fallback: fallback ?? throwOpen,
  };
};

/** The default fallback. @throws CircuitOpenError, from which an error handler creates the reply */
export const throwOpen = (retryAfterSecs: number): never => {
  throw new CircuitOpenError(retryAfterSecs, "Circuit open", { code: "BREAKER_OPEN" });
};
