import type { Middleware } from "@framework/core";
import type { BreakerOptions } from "./breaker.ts";
import type { CircuitState } from "./circuit.ts";

/** A snapshot of a circuit. */
export interface CircuitInfo {
  /** `GET /books/{id}`, `grpc books.v1.Catalog/GetBook`, `app`, or the name passed to `around`. */
  readonly name: string;
  /** State at the time of the call. */
  readonly state: CircuitState;
  /** Failures in a row on this worker since the circuit closed. */
  readonly failures: number;
  /** Whole seconds until the next trial, at least 1; 0 while closed. */
  readonly retryAfterSecs: number;
}

/** Options of a circuit around the program's own calls. Unset settings default to those of the app. */
export type CallOptions<In, Out> = Omit<BreakerOptions<In, Out>, "name" | "onTransition" | "clock">;

/** The circuits of an app: `app.circuits`. */
export interface Circuits {
  /** Returns every circuit, in the order of creation: circuits of routes are created at start, circuits of `around` at its call. */
  list(): readonly CircuitInfo[];
  /**
   * Opens a circuit in every worker for its `resetTimeout`; resolves when all have opened it, or after 1 s without a reply of a worker.
   *
   * @throws HttpError 404 with the code BREAKER_UNKNOWN_CIRCUIT
   */
  trip(name: string): Promise<void>;
  /**
   * Closes a circuit in every worker; resolves when all have closed it, or after 1 s without a reply of a worker.
   *
   * @throws HttpError 404 with the code BREAKER_UNKNOWN_CIRCUIT
   */
  reset(name: string): Promise<void>;
  /**
   * Creates a circuit that all workers share, and returns its middleware for the program's own calls, such as calls to another service.
   *
   * @throws CORE_BAD_CONFIG, BREAKER_NAME_TAKEN (also at the start, if a route or call gets the name), BREAKER_NOT_ENABLED, BREAKER_TOO_MANY_CIRCUITS
   */
  around<In, Out>(name: string, options?: CallOptions<In, Out>): Middleware<In, Out>;
}
