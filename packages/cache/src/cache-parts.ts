import type { Logger } from "@framework/core";
import type { Clock, DecisionReasons, RouteOption } from "@framework/core/feature";
import type { CachingConfig } from "./caching-config.ts";
import type { Counts } from "./counts.ts";
import type { Coalescing } from "./coalescing.ts";
import type { GuardedStore } from "./store/guarded-store.ts";
import type { Invalidations } from "./invalidation/invalidations.ts";
import type { Purges } from "./invalidation/purges.ts";
import type { RouteCache } from "./route/route-cache.ts";

/** The components of an app's cache. */
export interface CacheParts {
  readonly config: Readonly<CachingConfig>;
  /** The routes' `cache` option. */
  readonly option: RouteOption<RouteCache | false>;
  readonly clock: Clock;
  readonly store: GuardedStore;
  readonly invalidations: Invalidations;
  readonly coalescing: Coalescing;
  readonly purges: Purges;
  readonly counts: Counts;
  readonly log: () => Logger;
  /** Reports decisions to request traces. */
  readonly reasons: DecisionReasons;
}
