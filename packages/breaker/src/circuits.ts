import type { Middleware } from "@framework/core";
import type { BreakerOptions } from "./breaker.ts";
import type { CircuitState } from "./circuit.ts";

/** A snapshot of a circuit. */
export interface CircuitInfo {
  /** `GET /books/{id}`, `grpc books.v1.Catalog/GetBook`, `app`, or the program's name. */
  readonly name: string;
  /** State at the time of the call. */
  readonly state: CircuitState;
  /** Failures in a row on this worker since the circuit closed. */
  readonly failures: number;
  /** Whole seconds until the next trial, at least 1; 0 while closed. */
  readonly retryAfterSecs: number;
}

/** Options of a circuit around the program's own calls. @default the app's settings */
export type CallOptions<In, Out> = Omit<BreakerOptions<In, Out>, "name" | "onTransition" | "clock">;

/** The circuits of an app: `app.circuits`. */
export interface Circuits {
  /** Returns every circuit, in the order of creation: circuits of routes are created at start, circuits of `around` when it is called. */
  list(): readonly CircuitInfo[];
  /**
   * Opens a circuit in every worker for its `resetTimeout`; resolves when all have opened it.
   *
   * @throws HttpError 404 with the code BREAKER_UNKNOWN_CIRCUIT
   */
  trip(name: string): Promise<void>;
  /**
   * Closes a circuit in every worker; resolves when all have closed it.
   *
   * @throws HttpError 404 with the code BREAKER_UNKNOWN_CIRCUIT
   */
  reset(name: string): Promise<void>;
  /**
   * Creates a circuit around the program's own calls, such as calls to another service, shared by all workers.
   *
   * @throws CORE_BAD_CONFIG, BREAKER_NAME_TAKEN, BREAKER_TOO_MANY_CIRCUITS
   */
  around<In, Out>(name: string, options?: CallOptions<In, Out>): Middleware<In, Out>;
}
