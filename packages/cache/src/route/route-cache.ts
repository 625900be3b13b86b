import type { HttpRequest } from "@framework/core";

/** The route option of the feature. */
export interface CachingRouteOptions {
  /** Caching of the replies of this route; `false` disables it. */
  readonly cache?: RouteCache | false;
}

/** Caching of one route. @default the app's configuration */
export interface RouteCache {
  /** Seconds for which a reply without explicit freshness is fresh. */
  readonly ttl?: number;
  /** Seconds for which a client may use such a reply before it revalidates; 0 sends `no-cache`. */
  readonly clientTtlSecs?: number;
  /** Tags for `invalidateCache`; `{name}` is replaced by a path parameter, as in `book:{id}`. */
  readonly tags?: readonly string[];
  /** Request header fields that replies depend on, in addition to their `Vary`. */
  readonly vary?: readonly string[];
  /**
   * Returns an additional part of the key, a string or a finite number; any other value causes CACHE_BAD_KEY. Replies are sent with `private`, because other caches do not
   * know this part, unless they have `public`.
   */
  readonly key?: (request: HttpRequest) => string | number;
  /**
   * Returns the id of the caller whose reply this is: each caller has its own, sent with `private`. With `null`, `undefined` or an empty string the
   * rules for other routes apply; a value that is neither a string nor a finite number causes CACHE_BAD_CALLER. Cannot be combined with `shared`.
   */
  readonly per?: (request: HttpRequest) => string | number | null | undefined;
  /** Lets clients with an identity share replies; only for replies that are the same for all clients. */
  readonly shared?: boolean;
  /** Seconds for which a stale reply may be served while it is refreshed. */
  readonly staleSecs?: number;
}
