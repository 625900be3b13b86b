import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  decimal,
  integer,
  oneOf,
  optional,
  type PermitStore,
  pathPrefixes,
  unusedFields,
} from "@framework/core/feature";
import type { HttpRequest, Invocation, Problem } from "@framework/core";
import type { AdaptiveProbes } from "./adaptive-probes.ts";
import type { RouteLimit } from "./route-limit.ts";

/** A client's name; `null`, `undefined` and an empty string fall back to its address. A number and its decimal string are the same name. */
export type ClientName = string | number | bigint | null | undefined;

/** Returns the client's name for a request, synchronously. */
export type ClientKey = (request: HttpRequest) => ClientName;

/** Returns the client's name for a call of an entry point other than routes, synchronously. */
export type CallKey = (call: Invocation) => ClientName;

/** Settings of a rate limit. */
export interface RateLimitConfig {
  /** How requests are counted. @default "token_bucket" */
  readonly algorithm: "token_bucket" | "sliding_window" | "adaptive";
  /** Maximum number of requests of one client in a window; also the maximum burst. @default 100 */
  readonly maxRequests: number;
  /** Whole seconds of the window. @default 60 */
  readonly windowSecs: number;
  /** Identifies the client. @default the client's address, IPv6 by its /64 network */
  readonly key: ClientKey | undefined;
  /** Identifies the client of a call of another entry point, such as gRPC, which counts like a request. @default the client's address */
  readonly callKey: CallKey | undefined;
  /** Paths without a limit, including everything below them. @default [] */
  readonly exemptPaths: readonly string[];
  /** The store of permits: shared by the workers of this service, or your own. @default "workers" */
  readonly store: "workers" | PermitStore;
  /** Timeout of an external store in milliseconds; there is none for the primary process. @default 50 */
  readonly storeTimeoutMs: number;
  /**
   * If the store fails or times out: `allow` limits each worker to `maxRequests / workers` and charges these requests when the store is available again; `deny`
   * answers 503. @default "allow"
   */
  readonly onStoreError: "allow" | "deny";
  /** Minimum of `adaptive`, in requests per window. @default 10 */
  readonly minRequests: number;
  /** Minimum number of requests of a worker in the last 10 s; with fewer, `adaptive` ignores latency and failures. @default 20 */
  readonly minSamples: number;
  /** Share of 5xx replies in the last 10 s above which `adaptive` lowers the limit. @default 0.1 */
  readonly errorThreshold: number;
  /** Share of one CPU above which `adaptive` lowers the limit. @default 0.8 */
  readonly cpuThreshold: number;
  /** Share of the memory above which `adaptive` lowers the limit. @default 0.9 */
  readonly memoryThreshold: number;
  /** Mean latency of the last second in milliseconds, without the wait for request bodies, above which `adaptive` lowers the limit. @default 100 */
  readonly latencyThresholdMs: number;
  /** Sources of load and time for `adaptive`. @default this process */
  readonly probes: AdaptiveProbes | undefined;
}

/** Every option except the algorithm and the two positional numbers of a builder. */
export type RateLimitOptions = Omit<ConfigInput<RateLimitConfig>, "algorithm" | "maxRequests" | "windowSecs">;

/** Creates a record for one algorithm. Mistakes are reported at start. */
export type RateLimitBuilder = (
  maxRequests?: number,
  windowSecs?: number,
  options?: RateLimitOptions,
) => ConfigInput<RateLimitConfig>;

/** The record, and a builder for each algorithm. */
export interface RateLimitConfigRecord extends ConfigRecord<RateLimitConfig> {
  /** A burst of `maxRequests`, refilled evenly over the window. */
  readonly tokenBucket: RateLimitBuilder;
  /** At most `maxRequests` in any window. */
  readonly slidingWindow: RateLimitBuilder;
  /** A token bucket that shrinks while the service is overloaded and grows otherwise. */
  readonly adaptive: RateLimitBuilder;
}

const share = { min: 0, max: 1 };
const isFunction = (value: unknown): boolean => typeof value === "function";
const isStore = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "take" in value && isFunction(value.take);

const routeRules = {
  algorithm: oneOf("token_bucket", ["token_bucket", "sliding_window", "adaptive"]),
  maxRequests: integer(100, { min: 1, max: 1_000_000_000 }),
  windowSecs: integer(60, { min: 1, max: 2_678_400 }),
  key: optional<ClientKey>(checked(null, "a function of the request", isFunction)),
} as const;

const record: ConfigRecord<RateLimitConfig> = configRecord<RateLimitConfig>("RateLimitConfig", {
  ...routeRules,
  callKey: optional<CallKey>(checked(null, "a function of the call", isFunction)),
  exemptPaths: pathPrefixes,
  store: checked<"workers" | PermitStore>(
    "workers",
    '"workers" or a store with a method "take"',
    (value) => value === "workers" || isStore(value),
  ),
  storeTimeoutMs: integer(50, { min: 1, max: 10_000 }),
  onStoreError: oneOf("allow", ["allow", "deny"]),
  minRequests: integer(10, { min: 1, max: 1_000_000_000 }),
  minSamples: integer(20, { min: 1, max: 1_000_000 }),
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

const routeRecord = configRecord<{ -readonly [K in keyof typeof routeRules]: RateLimitConfig[K] }>(
  "rateLimit",
  routeRules,
);

/** Returns the mistake in the `rateLimit` option of a route; `null` if it is valid. */
export const routeLimitProblem = (value: RouteLimit | false): string | null => {
  if (value === false) return null;
  if (typeof value !== "object" || value === null) return "must be an object or false";
  const { problems } = routeRecord.read(value);
  return problems.length === 0 ? null : problems.join("; ");
};

/** Returns a problem for each given field of adaptive limits, for an app without one. */
export const adaptiveProblems = (input: ConfigInput<RateLimitConfig> | undefined): Problem[] =>
  unusedFields(RateLimitConfig, input, adaptiveFields, 'a limit with the algorithm "adaptive"');

const adaptiveFields = [
  "minRequests",
  "minSamples",
  "errorThreshold",
  "cpuThreshold",
  "memoryThreshold",
  "latencyThresholdMs",
  "probes",
] as const;
