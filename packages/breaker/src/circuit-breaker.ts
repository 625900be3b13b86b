import type { AddsRouteOptions, ConfigInput, Feature } from "@framework/core/feature";
import { CircuitBreakerConfig, routeCircuitProblem } from "./circuit-config.ts";
import { CircuitRegistry } from "./circuit-registry.ts";
import type { Circuits } from "./circuits.ts";
import type { CircuitBreakerRouteOptions } from "./route-circuit.ts";

/** What the feature adds to an app. */
export interface CircuitBreaker extends AddsRouteOptions<CircuitBreakerRouteOptions> {
  /**
   * Gives every route a circuit: by default, 5 failures in a row open it for 30 s and 3 successful trials close it. A route's `breaker` option
   * overrides the settings; `false` disables the circuit.
   *
   * @throws CORE_BAD_CONFIG at start, with all other mistakes
   */
  enableCircuitBreaker(config?: ConfigInput<CircuitBreakerConfig>): this;
  /** State and control of the circuits; complete after start. */
  readonly circuits: Circuits;
}

/**
 * Answers 503 in place of handlers that keep failing, until trials show that they have recovered.
 *
 * A circuit that opens in one worker is open in all; trials are counted over all workers. Health, metrics, docs and cached replies have none.
 *
 * @example
 * const app = new (App.with(circuitBreaker))().enableCircuitBreaker({ failureThreshold: 3, resetTimeout: 10 });
 * app.get("/report", { breaker: { failureCodes: [504] } }, report);
 */
export const circuitBreaker: Feature<CircuitBreaker> = {
  name: "breaker",
  install: (host) => {
    const circuits = new CircuitRegistry(host.http.routeOption("breaker", routeCircuitProblem));
    return {
      circuits,
      enableCircuitBreaker(config) {
        circuits.configure(host.configure(CircuitBreakerConfig, config));
        host.http.use("breaker", circuits.middleware);
        host.life.onStart({
          name: "circuit breaker",
          run: (settings) => circuits.start(host.http.routes(), host.state.shared, settings),
        });
        host.life.onStop({ name: "circuit breaker", run: () => circuits.stop() });
        host.insight.expose("circuits", () => circuits.list());
        host.insight
          .metric({
            name: "circuit_state",
            help: "State of each circuit: 0 closed, 1 half-open, 2 open.",
            type: "gauge",
            across: "max",
            read: () => circuits.states(),
          })
          .metric({
            name: "circuit_refused_total",
            help: "Calls refused by an open circuit.",
            type: "counter",
            read: () => circuits.refused,
          })
          .metric({
            name: "circuit_transitions_total",
            help: "State changes of circuits, by new state and worker.",
            type: "counter",
            read: () => circuits.transitions(),
          });
        return this;
      },
    };
  },
};
