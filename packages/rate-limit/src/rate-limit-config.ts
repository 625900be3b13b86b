import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  decimal,
  integer,
  list,
  oneOf,
  optional,
  type PermitStore,
} from "@framework/core/feature";
import type { HttpRequest } from "@framework/core";
import type { AdaptiveProbes } from "./adaptive-probes.ts";
import type { RouteLimit } from "./route-limit.ts";

/** Who counts as one client: a name for the request, or `null` to go by the address. */
export type ClientKey = (request: HttpRequest) => string | null;

/** How much each client may ask for, and what happens beyond. */
export interface RateLimitConfig {
  /** @default "token_bucket" */
  readonly algorithm: "token_bucket" | "sliding_window" | "adaptive";
  /** Requests of one client in a window; also how many it may send at once. @default 100 */
  readonly maxRequests: number;
  /** Whole seconds of the window. @default 60 */
  readonly windowSecs: number;
  /** Who counts as one client. @default the client's address, IPv6 by its /64 network */
  readonly key: ClientKey | undefined;
  /** Paths without a limit: each covers itself and what lies below it. @default [] */
  readonly exemptPaths: readonly string[];
  /** Where permits are kept: by the workers of this service together, or in a store of your own. @default "workers" */
  readonly store: "workers" | PermitStore;
  /** Milliseconds that a request waits for the store. @default 50 */
  readonly storeTimeoutMs: number;
  /** Whether a request without an answer from the store is let through or gets 503. @default "allow" */
  readonly onStoreError: "allow" | "deny";
  /** What `adaptive` never goes below, in requests per window. @default 10 */
  readonly minRequests: number;
  /** Share of 5xx replies in the last 10 s above which `adaptive` cuts. @default 0.1 */
  readonly errorThreshold: number;
  /** Share of one CPU above which `adaptive` cuts. @default 0.8 */
  readonly cpuThreshold: number;
  /** Share of the memory above which `adaptive` cuts. @default 0.9 */
  readonly memoryThreshold: number;
  /** Mean latency in milliseconds above which `adaptive` cuts. @default 100 */
  readonly latencyThresholdMs: number;
  /** Where `adaptive` reads load and time. @default this process */
  readonly probes: AdaptiveProbes | undefined;
}

/** Everything but the three figures that a builder takes by position. */
export type RateLimitOptions = Omit<ConfigInput<RateLimitConfig>, "algorithm" | "maxRequests" | "windowSecs">;

/** Builds a record for one algorithm; mistakes are reported at start, with all others. */
export type RateLimitBuilder = (
  maxRequests?: number,
  windowSecs?: number,
  options?: RateLimitOptions,
) => ConfigInput<RateLimitConfig>;

/** The record, and a builder for each algorithm. */
export interface RateLimitConfigRecord extends ConfigRecord<RateLimitConfig> {
  /** `maxRequests` at once, refilled evenly over the window. */
  readonly tokenBucket: RateLimitBuilder;
  /** Never more than `maxRequests` in any window. */
  readonly slidingWindow: RateLimitBuilder;
  /** A token bucket that is cut while the service is overloaded and raised while it is not. */
  readonly adaptive: RateLimitBuilder;
}

const share = { min: 0, max: 1 };
const isFunction = (value: unknown): boolean => typeof value === "function";
const isPath = (item: unknown): boolean =>
  typeof item === "string" && /^\/./.test(item) && !item.endsWith("/");
const isStore = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "take" in value && isFunction(value.take);

const ofRoute = {
  algorithm: oneOf("token_bucket", ["token_bucket", "sliding_window", "adaptive"]),
  maxRequests: integer(100, { min: 1, max: 1_000_000_000 }),
  windowSecs: integer(60, { min: 1, max: 2_678_400 }),
  key: optional<ClientKey>(checked(null, "a function of the request", isFunction)),
} as const;

const record: ConfigRecord<RateLimitConfig> = configRecord<RateLimitConfig>("RateLimitConfig", {
  ...ofRoute,
  exemptPaths: list<string>(
    [],
    'paths such as "/status", which begin with a slash and do not end in one',
    isPath,
  ),
  store: checked<"workers" | PermitStore>(
    "workers",
    '"workers" or a store with a method "take"',
    (value) => value === "workers" || isStore(value),
  ),
  storeTimeoutMs: integer(50, { min: 1, max: 10_000 }),
  onStoreError: oneOf("allow", ["allow", "deny"]),
  minRequests: integer(10, { min: 1, max: 1_000_000_000 }),
  errorThreshold: decimal(0.1, share),
  cpuThreshold: decimal(0.8, share),
  memoryThreshold: decimal(0.9, share),
  latencyThresholdMs: decimal(100, { min: 1 }),
  probes: optional<AdaptiveProbes>(
    checked(null, "an object of functions", (value) => {
      return typeof value === "object" && value !== null && Object.values(value).every(isFunction);
    }),
  ),
});

const builder =
  (algorithm: RateLimitConfig["algorithm"]): RateLimitBuilder =>
  (maxRequests, windowSecs, options) => ({ ...options, algorithm, maxRequests, windowSecs });

export const RateLimitConfig: RateLimitConfigRecord = Object.freeze({
  ...record,
  tokenBucket: builder("token_bucket"),
  slidingWindow: builder("sliding_window"),
  adaptive: builder("adaptive"),
});

const routeRecord = configRecord<{ -readonly [K in keyof typeof ofRoute]: RateLimitConfig[K] }>(
  "rateLimit",
  ofRoute,
);

/** What is wrong with the `rateLimit` option of a route; `null` when nothing is. */
export const routeLimitProblem = (value: RouteLimit | false): string | null => {
  if (value === false) return null;
  if (typeof value !== "object" || value === null) return "must be an object or false";
  const { problems } = routeRecord.read(value);
  return problems.length === 0 ? null : problems.join("; ");
};
