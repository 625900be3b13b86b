import type { HttpRequest } from "@framework/core";

/** The route option of the feature. */
export interface RateLimitRouteOptions {
  /** The limit of this route, or `false` for none. @default the app's limit */
  readonly rateLimit?: RouteLimit | false;
}

/** Rate limit of one route. @default the app's configuration */
export interface RouteLimit {
  /** How requests are counted. @default the app's */
  readonly algorithm?: "token_bucket" | "sliding_window" | "adaptive";
  /** Requests per window. @default the app's */
  readonly maxRequests?: number;
  /** Seconds of the window. @default the app's */
  readonly windowSecs?: number;
  /** Identifies the client, like `key` of the app; `null`, `undefined` and an empty string fall back to the address. @default the app's `key` */
  readonly key?: (request: HttpRequest) => string | number | bigint | null | undefined;
}
