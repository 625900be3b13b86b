import type { HttpRequest } from "@framework/core";

/** The options of routes that the feature owns. */
export interface CachingRouteOptions {
  /** How replies of this route are cached, or `false` for never. */
  readonly cache?: RouteCache | false;
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
