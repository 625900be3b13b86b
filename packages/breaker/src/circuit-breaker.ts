import {
  type AddsRouteOptions,
  type ConfigInput,
  explainedBy,
  type Feature,
  type FieldUse,
  type ImpliedReply,
} from "@framework/core/feature";
import { CircuitBreakerConfig, routeCircuitProblem } from "./circuit-config.ts";
import { circuitPanel } from "./circuit-panel.ts";
import { CircuitRegistry } from "./circuit-registry.ts";
import { withReasons } from "./circuit-reasons.ts";
import type { Circuits } from "./circuits.ts";
import type { CircuitBreakerRouteOptions } from "./route-circuit.ts";

/** Members that the feature adds to an app. */
export interface CircuitBreaker extends AddsRouteOptions<CircuitBreakerRouteOptions> {
  /**
   * Gives every route a circuit: by default, 5 failures in a row open it for 30 s and 3 successful trials close it. A route's `breaker` option
   * overrides the settings; `false` disables the circuit.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableCircuitBreaker(config?: ConfigInput<CircuitBreakerConfig>): this;
  /** State and control of the circuits. The circuits of routes are created at start. */
  readonly circuits: Circuits;
}

/**
 * Answers 503 instead of calling a handler that keeps failing, until trial calls succeed.
 *
 * A circuit that opens in one worker is open in all; trials are counted over all workers. Health, metrics and docs have no circuit; cached replies bypass it.
 *
 * @example
 * const app = new (App.with(circuitBreaker))().enableCircuitBreaker({ failureThreshold: 3, resetTimeout: 10 });
 * app.get("/report", { breaker: { failureCodes: [504] } }, report);
 */
export const circuitBreaker: Feature<CircuitBreaker> = {
  name: "breaker",
  install: (host) => {
    const option = host.http.routeOption("breaker", routeCircuitProblem);
    const circuits = new CircuitRegistry(option);
    return {
      circuits,
      enableCircuitBreaker(config) {
        circuits.configure(host.configure(CircuitBreakerConfig, config));
        const { reasons } = host.insight;
        host.http.use("breaker", explainedBy(circuits.middleware, withReasons(circuits, reasons)));
        host.entries.protect("breaker", circuits.protect);
        host.http.impliesReplies((route) => (option.of(route) === false ? [] : [circuitOpen]));
        host.http.usesFields((route) => (option.of(route) === false ? [] : [retryAfter]));
        host.life.onStart({
          name: "circuit breaker",
          run: (settings) => circuits.start(host.http.routes(), host.state.shared, settings),
        });
        host.life.onStop({ name: "circuit breaker", run: () => circuits.stop() });
        host.insight.expose("circuits", () => circuits.list());
        host.insight
          .panel(circuitPanel(circuits))
          .metric({
            name: "circuit_state",
            help: "State of each circuit: 0 closed, 1 half-open, 2 open.",
            type: "gauge",
            across: "max",
            read: () => circuits.states(),
          })
          .metric({
            name: "circuit_rejected_total",
            help: "Calls rejected by an open circuit, or by a half-open one whose trials are all in use.",
            type: "counter",
            read: () => circuits.rejected,
          })
          .metric({
            name: "circuit_transitions_total",
            help: "State changes of circuits, by new state; a change that all workers adopt counts once.",
            type: "counter",
            read: () => circuits.transitions(),
          });
        return this;
      },
    };
  },
};

const retryAfter: FieldUse = {
  name: "Retry-After",
  in: "refusal",
  description: "Seconds to wait before retrying.",
  type: "integer",
};

const circuitOpen: ImpliedReply = {
  status: 503,
  description: "The circuit is open.",
  headers: { [retryAfter.name]: retryAfter },
};
