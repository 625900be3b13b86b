/** The options of routes that the feature owns. */
export interface CircuitBreakerRouteOptions {
  /** Settings of this route's own circuit in place of the app's, or `false` for no circuit. */
  readonly breaker?: RouteCircuit | false;
}

/** Circuit of one route; what is absent follows the app's configuration. */
export interface RouteCircuit {
  /** Failures in a row that open it. */
  readonly failureThreshold?: number;
  /** Seconds that it stays open. */
  readonly resetTimeout?: number;
  /** Successes that close it, and trials at a time. */
  readonly halfOpenTarget?: number;
  /** Statuses that count as failures. */
  readonly failureCodes?: readonly number[];
}
