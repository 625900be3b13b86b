export { breaker, type Breaker, type BreakerOptions } from "./breaker.ts";
export { circuitBreaker, type CircuitBreaker } from "./circuit-breaker.ts";
export type { CircuitBreakerRouteOptions, RouteCircuit } from "./route-circuit.ts";
export { CircuitBreakerConfig } from "./circuit-config.ts";
export type { CallOptions, CircuitInfo, Circuits } from "./circuits.ts";
export type { CircuitState, CircuitTransition } from "./circuit.ts";
export { breakerErrors } from "./error-codes.ts";
