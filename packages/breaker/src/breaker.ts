import { randomUUID } from "node:crypto";
import { type Awaitable, CircuitOpenError, type Middleware } from "@framework/core";
import { isFailureOfCallee, statusOf } from "@framework/core/feature";
import { Circuit, type CircuitState, type CircuitTransition } from "./circuit.ts";
import { CircuitBreakerConfig } from "./circuit-config.ts";
import { LocalLedger } from "./circuit-ledger.ts";
import { type Calls, guardCall } from "./guard-call.ts";

/** What a breaker around any calls may be told. */
export interface BreakerOptions<In, Out> {
  /** What its transitions call it. @default "breaker" */
  readonly name?: string;
  /** Failures in a row that open it. @default 5 */
  readonly failureThreshold?: number;
  /** Seconds that it stays open, and that a trial keeps its slot. @default 30 */
  readonly resetTimeout?: number;
  /** Successful trials that close it, and trials at one time. @default 3 */
  readonly halfOpenTarget?: number;
  /** Statuses that are failures, of outputs that have a `status`. @default [500, 502, 503, 504] */
  readonly failureCodes?: readonly number[];
  /** Whether an output is a failure. @default its `status` is one of `failureCodes` */
  readonly isFailure?: (output: Out, input: In) => boolean;
  /** Whether something thrown is a failure; what is not says nothing. @default all but an AbortError */
  readonly isFailingError?: (error: unknown, input: In) => boolean;
  /** Answers while the circuit is open. @default throws a CircuitOpenError, status 503 */
  readonly refuse?: (retryAfterSecs: number, input: In) => Awaitable<Out>;
  /** Hears of every change of state. @default nobody */
  readonly onTransition?: (transition: CircuitTransition) => void;
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly now?: () => number;
}

/** A breaker around calls of any kind. */
export interface Breaker<In, Out> extends Middleware<In, Out> {
  readonly state: CircuitState;
  /** Opens it for `resetTimeout`. */
  trip(): void;
  /** Closes it. */
  reset(): void;
}

/**
 * A circuit breaker as a middleware of its own: around outgoing calls, message handlers or commands of this process.
 *
 * Outputs and errors pass through as they are. A circuit that all workers share is `app.circuits.around`.
 *
 * @example
 * const payments = breaker<Order, Receipt>({ failureThreshold: 3, isFailure: (receipt) => !receipt.accepted });
 * const receipt = await payments(order, charge);
 * @throws CORE_BAD_CONFIG
 */
export const breaker = <In, Out>(options: BreakerOptions<In, Out> = {}): Breaker<In, Out> => {
  const { name = "breaker", isFailure: _, isFailingError: _error, refuse: _refuse, ...given } = options;
  const config = CircuitBreakerConfig.of(given);
  const { onTransition = () => {}, now = () => performance.now(), resetTimeout } = config;
  const { failureThreshold, halfOpenTarget } = config;
  const circuit = new Circuit({
    name,
    failureThreshold,
    halfOpenTarget,
    resetMs: resetTimeout * 1000,
    id: randomUUID(),
    now,
    ledger: new LocalLedger(),
    onTransition: (transition) => {
      try {
        onTransition(transition);
      } catch (error) {
        console.error("onTransition of a breaker failed", error); // the call that brought the change about is no part of it
      }
    },
  });
  const calls = callsOf(options, config.failureCodes);
  const middleware: Middleware<In, Out> = function breaker(input, next) {
    return guardCall(circuit, calls, input, next);
  };
  return Object.defineProperties(middleware, {
    state: { get: () => circuit.state },
    trip: { value: () => void circuit.force("open") },
    reset: { value: () => void circuit.force("closed") },
  }) as Breaker<In, Out>;
};

/** How calls are judged by the options of a breaker. */
export const callsOf = <In, Out>(
  { isFailure, isFailingError, refuse }: BreakerOptions<In, Out>,
  failureCodes: readonly number[],
): Calls<In, Out> => ({
  isFailure: isFailure ?? ((output) => failureCodes.includes(statusOf(output))),
  isFailingError: isFailingError ?? isFailureOfCallee,
  refuse: refuse ?? refuseByThrowing,
});

/** Answers nothing: the reply is made where errors become replies. */
export const refuseByThrowing = (retryAfterSecs: number): never => {
  throw new CircuitOpenError(retryAfterSecs, "Circuit open", { code: "BREAKER_OPEN" });
};
