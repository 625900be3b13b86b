import {
  checked,
  type Clock,
  type ConfigRecord,
  configRecord,
  decimal,
  failureStatuses,
  givenFields,
  integer,
  isClock,
  list,
  oneOf,
  optional,
} from "@framework/core/feature";
import type { CircuitTransition } from "./circuit.ts";
import type { RouteCircuit } from "./route-circuit.ts";

/** Settings of `enableCircuitBreaker`. */
export interface CircuitBreakerConfig {
  /** Failures in a row that open a circuit, counted by each worker. @default 5 */
  readonly failureThreshold: number;
  /** Seconds for which it stays open, and for which a trial keeps its slot. @default 30 */
  readonly resetTimeout: number;
  /** Successful trials that close it, and maximum concurrent trials. @default 3 */
  readonly halfOpenTarget: number;
  /** Statuses that count as failures. @default [500, 502, 503, 504] */
  readonly failureCodes: readonly number[];
  /** One circuit for each route, or one for the whole app. @default "route" */
  readonly scope: "route" | "app";
  /** Called in every worker with every change of state. @default none */
  readonly onTransition: ((transition: CircuitTransition) => void) | undefined;
  /** The clock, for tests. @default the system clock */
  readonly clock: Clock | undefined;
}

const isFunction = (value: unknown): boolean => typeof value === "function";
const isStatus = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599;

const routeRules = {
  failureThreshold: integer(5, { min: 1, max: 1_000_000 }),
  resetTimeout: decimal(30, { min: 0.05, max: 86_400 }),
  halfOpenTarget: integer(3, { min: 1, max: 1000 }),
  failureCodes: list<number>(failureStatuses, "statuses from 200 to 599", isStatus),
} as const;

export const CircuitBreakerConfig: ConfigRecord<CircuitBreakerConfig> = configRecord<CircuitBreakerConfig>(
  "CircuitBreakerConfig",
  {
    ...routeRules,
    scope: oneOf("route", ["route", "app"]),
    onTransition: optional<(transition: CircuitTransition) => void>(
      checked(null, "a function of the transition", isFunction),
    ),
    clock: optional<Clock>({ problem: (value) => (isClock(value) ? null : "must be a Clock") }),
  },
);

const routeRecord = configRecord<Required<RouteCircuit>>("breaker", routeRules);

/** Returns the mistake in the `breaker` option of a route; `null` if it is valid. */
export const routeCircuitProblem = (value: RouteCircuit | false): string | null => {
  if (value === false) return null;
  if (typeof value !== "object" || value === null) return "must be an object or false";
  const { problems } = routeRecord.read(value);
  return problems.length === 0 ? null : problems.join("; ");
};

/** Merges settings over a record; undefined fields are skipped. */
export const mergeSettings = (
  config: Readonly<CircuitBreakerConfig>,
  own: RouteCircuit,
): Readonly<CircuitBreakerConfig> => ({ ...config, ...givenFields(own) });
