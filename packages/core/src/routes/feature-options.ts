import type { HttpRequest } from "../request/http-request.ts";

/**
 * What a route may tell features that are packages of their own. They stand here as plain data, so that a route's options are one checked list; an
 * option whose feature is not on is a start error, because it would do nothing.
 */
export interface FeatureOptions {
  /** How replies of this route are cached, or `false` for never; read by `enableCaching`. */
  readonly cache?: RouteCache | false;
  /** A limit of this route's own in place of the app's, or `false` for none; read by `enableRateLimit`. */
  readonly rateLimit?: RouteLimit | false;
  /** A circuit of this route's own settings in place of the app's, or `false` for none; read by `enableCircuitBreaker`. */
  readonly breaker?: RouteCircuit | false;
  /** `false` sends replies of this route uncompressed; read by `enableCompression`. */
  readonly compress?: boolean;
  /** `true` keeps this route out of the API document; read by `enableOpenapi`. */
  readonly hidden?: boolean;
}

/** Caching of one route; what is absent follows the app's configuration. */
export interface RouteCache {
  /** Seconds that a reply without freshness of its own stays fresh. */
  readonly ttl?: number;
  /** Names to drop replies by; `{name}` stands for a path parameter, as in `book:{id}`. */
  readonly tags?: readonly string[];
  /** Request header fields that replies depend on, besides those that their `Vary` names. */
  readonly vary?: readonly string[];
  /** A further part of the key, made from the request. */
  readonly key?: (request: HttpRequest) => string;
  /** Lets clients with an identity share replies; only for replies that are the same for everybody. */
  readonly shared?: boolean;
  /** Seconds that a stale reply may be served while it is refreshed. */
  readonly staleSecs?: number;
}

/** Rate limit of one route; what is absent follows the app's configuration. */
export interface RouteLimit {
  readonly algorithm?: "token_bucket" | "sliding_window" | "adaptive";
  readonly maxRequests?: number;
  readonly windowSecs?: number;
  /** Who is counted; clients by address where absent. */
  readonly key?: (request: HttpRequest) => string;
}

/** Circuit of one route; what is absent follows the app's configuration. */
export interface RouteCircuit {
  /** Failures in a row that open it. */
  readonly failureThreshold?: number;
  /** Seconds it stays open. */
  readonly resetTimeout?: number;
  /** Successes that close it, and trials at a time. */
  readonly halfOpenTarget?: number;
  /** Statuses that count as failures. */
  readonly failureCodes?: readonly number[];
}

/** Endpoints that features add for operators and readers, which other features treat apart. */
export type BuiltIn = "health" | "metrics" | "docs" | "other";
