/** The route option of the feature. */
export interface CircuitBreakerRouteOptions {
  /** Settings of this route's circuit, or `false` for no circuit. @default the app's settings */
  readonly breaker?: RouteCircuit | false;
}

/** Circuit of one route. @default the app's settings */
export interface RouteCircuit {
  /** Failures in a row that open it. */
  readonly failureThreshold?: number;
  /** Seconds for which it stays open, and for which a trial keeps its slot. */
  readonly resetTimeout?: number;
  /** Successful trials that close it, and maximum concurrent trials. */
  readonly halfOpenTarget?: number;
  /** Statuses that count as failures. */
  readonly failureCodes?: readonly number[];
}
