import type { HttpRequest } from "@framework/core";

/** The options of routes that the feature owns. */
export interface RateLimitRouteOptions {
  /** A limit of this route's own in place of the app's, or `false` for none. */
  readonly rateLimit?: RouteLimit | false;
}

/** Rate limit of one route; what is absent follows the app's configuration. */
export interface RouteLimit {
  readonly algorithm?: "token_bucket" | "sliding_window" | "adaptive";
  readonly maxRequests?: number;
  readonly windowSecs?: number;
  /** Who is counted; clients by address where absent. */
  readonly key?: (request: HttpRequest) => string;
}
