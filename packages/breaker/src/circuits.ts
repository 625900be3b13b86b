import type { Middleware } from "@framework/core";
import type { BreakerOptions } from "./breaker.ts";
import type { CircuitState } from "./circuit.ts";

/** A circuit as pages and programs see it. */
export interface CircuitInfo {
  /** `GET /books/{id}`, `app`, or what the program called it. */
  readonly name: string;
  readonly state: CircuitState;
  /** Failures in a row that this worker saw since it closed. */
  readonly failures: number;
  /** Whole seconds until the next trial, at least 1; 0 while closed. */
  readonly retryAfterSecs: number;
}

/** Options of a circuit around calls of the program's own; settings that are absent are the app's. */
export type CallOptions<In, Out> = Omit<BreakerOptions<In, Out>, "name" | "onTransition" | "now">;

/** The circuits of an app: `app.circuits`. */
export interface Circuits {
  /** Every circuit, routes first. */
  list(): readonly CircuitInfo[];
  /**
   * Opens a circuit in every worker, for its `resetTimeout`; resolves when all know.
   *
   * @throws BREAKER_UNKNOWN_CIRCUIT
   */
  trip(name: string): Promise<void>;
  /**
   * Closes a circuit in every worker; resolves when all know.
   *
   * @throws BREAKER_UNKNOWN_CIRCUIT
   */
  reset(name: string): Promise<void>;
  /**
   * A circuit around calls of the program's own, such as those to another service, that all workers share.
   *
   * @throws CORE_BAD_CONFIG, BREAKER_NAME_TAKEN, BREAKER_TOO_MANY_CIRCUITS
   */
  around<In, Out>(name: string, options?: CallOptions<In, Out>): Middleware<In, Out>;
}
