import type { HttpRequest } from "@framework/core";

/** The route option of the feature. */
export interface RateLimitRouteOptions {
  /** The limit of this route, or `false` for none. @default the app's limit */
  readonly rateLimit?: RouteLimit | false;
}

/** Rate limit of one route. @default the app's configuration */
export interface RouteLimit {
  readonly algorithm?: "token_bucket" | "sliding_window" | "adaptive";
  readonly maxRequests?: number;
  readonly windowSecs?: number;
  /** Identifies the client. @default the address */
  readonly key?: (request: HttpRequest) => string;
}
