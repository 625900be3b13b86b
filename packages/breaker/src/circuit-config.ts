import {
  checked,
  type ConfigRecord,
  configRecord,
  decimal,
  integer,
  list,
  oneOf,
  optional,
  failureStatuses,
} from "@framework/core/feature";
import type { CircuitTransition } from "./circuit.ts";
import type { RouteCircuit } from "./route-circuit.ts";

/** When a circuit opens, and how it closes again. */
export interface CircuitBreakerConfig {
  /** Failures in a row that open a circuit, counted by each worker. @default 5 */
  readonly failureThreshold: number;
  /** Seconds that it stays open, and that a trial keeps its slot. @default 30 */
  readonly resetTimeout: number;
  /** Successful trials that close it, and trials at one time. @default 3 */
  readonly halfOpenTarget: number;
  /** Statuses that are failures. @default [500, 502, 503, 504] */
  readonly failureCodes: readonly number[];
  /** One circuit for each route, or one for the whole app. @default "route" */
  readonly scope: "route" | "app";
  /** Hears in every worker of every change of state. @default nobody */
  readonly onTransition: ((transition: CircuitTransition) => void) | undefined;
  /** Monotonic clock in milliseconds, for tests. @default performance.now */
  readonly now: (() => number) | undefined;
}

const isFunction = (value: unknown): boolean => typeof value === "function";
const isStatus = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599;

const ofRoute = {
  failureThreshold: integer(5, { min: 1, max: 1_000_000 }),
  resetTimeout: decimal(30, { min: 0.05, max: 86_400 }),
  halfOpenTarget: integer(3, { min: 1, max: 1000 }),
  failureCodes: list<number>(failureStatuses, "statuses from 200 to 599", isStatus),
} as const;

export const CircuitBreakerConfig: ConfigRecord<CircuitBreakerConfig> = configRecord<CircuitBreakerConfig>(
  "CircuitBreakerConfig",
  {
    ...ofRoute,
    scope: oneOf("route", ["route", "app"]),
    onTransition: optional<(transition: CircuitTransition) => void>(
      checked(null, "a function of the transition", isFunction),
    ),
    now: optional<() => number>(checked(null, "a function that gives milliseconds", isFunction)),
  },
);

const routeRecord = configRecord<Required<RouteCircuit>>("breaker", ofRoute);

/** What is wrong with the `breaker` option of a route; `null` when nothing is. */
export const routeCircuitProblem = (value: RouteCircuit | false): string | null => {
  if (value === false) return null;
  if (typeof value !== "object" || value === null) return "must be an object or false";
  const { problems } = routeRecord.read(value);
  return problems.length === 0 ? null : problems.join("; ");
};

/** A record with what somebody says in its place; what is undefined is not said. */
export const merged = (
  config: Readonly<CircuitBreakerConfig>,
  own: RouteCircuit,
): Readonly<CircuitBreakerConfig> => {
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...config, ...Object.fromEntries(given) };
};
