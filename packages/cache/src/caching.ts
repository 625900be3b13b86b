import {
  type AddsRouteOptions,
  type ConfigInput,
  type Feature,
  type Host,
  markHandled,
  type RouteOption,
  systemClock,
} from "@framework/core/feature";
import { FrameworkError, type Problem } from "@framework/core";
import type { CacheParts } from "./cache-parts.ts";
import { CachingConfig, storeProblems } from "./caching-config.ts";
import { epochClock } from "./epoch-clock.ts";
import { cachePanel } from "./cache-panel.ts";
import { newCounts, publishMetrics, sizeOf } from "./counts.ts";
import { Coalescing } from "./coalescing.ts";
import { documentCache } from "./documented.ts";
import { GuardedStore } from "./store/guarded-store.ts";
import { stripInternalFields } from "./internal-fields.ts";
import { Invalidations } from "./invalidation/invalidations.ts";
import { memoryStore } from "./store/memory-store.ts";
import { Purges } from "./invalidation/purges.ts";
import { replyCache } from "./reply-cache.ts";
import type { CachingRouteOptions, RouteCache } from "./route/route-cache.ts";
import { cacheOptionProblem } from "./route/route-plan.ts";
import { checkedTags, programTag } from "./route/tags.ts";
import { invalidateOnWrite } from "./unsafe-methods.ts";

/** Members that the feature adds to an app. */
export interface Caching extends AddsRouteOptions<CachingRouteOptions> {
  /**
   * Replies to repeated requests with the configured `methods`, by default GET and HEAD, from a store (RFC 9111, shared cache).
   *
   * A reply is keyed by scheme, host, path, sorted query and the request fields of its `Vary`. Requests with an identity get only stored replies
   * with `public` or `s-maxage`, or of routes with `shared` or `per`. Concurrent misses of one key are coalesced.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableCaching(config?: ConfigInput<CachingConfig>): this;
  /**
   * Drops every stored reply with one of the tags. Resolves with the number of dropped replies; from then on no worker serves them, or stores a reply computed earlier.
   *
   * @throws CACHE_NOT_ENABLED, CACHE_NOT_STARTED, CACHE_BAD_TAG, CACHE_STORE_UNAVAILABLE, CORE_SHARED_STATE_UNAVAILABLE
   */
  invalidateCache(tags: readonly string[]): Promise<number>;
}

/**
 * Replies to repeated requests from a store, and drops stored replies by tag in every worker.
 *
 * @example
 * const app = new (App.with(caching))().enableCaching({ ttl: 60 });
 * app.get("/books/{id}", { cache: { tags: ["book:{id}"] } }, readBook);
 * await app.invalidateCache(["book:7"]);
 */
export const caching: Feature<Caching> = {
  name: "cache",
  install(host) {
    const option = host.http.routeOption("cache", cacheOptionProblem);
    let purges: Purges | null = null;
    return {
      enableCaching(config) {
        for (const problem of storeProblems(config)) host.problem(problem);
        ({ purges } = enable(host, host.configure(CachingConfig, config), option));
        return this;
      },
      invalidateCache(tags) {
        return markHandled(dropTags(purges, tags));
      },
    };
  },
};

const dropTags = async (purges: Purges | null, tags: readonly string[]): Promise<number> => {
  if (purges === null)
    throw new FrameworkError("CACHE_NOT_ENABLED", "cache: call enableCaching before invalidateCache");
  return purges.drop(checkedTags(tags).map(programTag));
};

const enable = (
  host: Host,
  config: Readonly<CachingConfig>,
  option: RouteOption<RouteCache | false>,
): CacheParts => {
  const { maxEntries, maxBytes, waitSecs, storeTimeoutMs } = config;
  const clock = epochClock(config.clock ?? systemClock);
  const raw = config.store ?? memoryStore({ maxEntries, maxBytes, clock });
  const store = new GuardedStore(raw, { clock, timeoutMs: storeTimeoutMs });
  const invalidations = new Invalidations();
  const purges = new Purges({ store, invalidations, clock });
  const coalescing = new Coalescing({ clock, waitMs: waitSecs * 1000 });
  const counts = newCounts();
  const log = () => host.life.settings.log;
  const { reasons } = host.insight;
  const parts: CacheParts = {
    config,
    option,
    clock,
    store,
    invalidations,
    coalescing,
    purges,
    counts,
    log,
    reasons,
  };

  host.http.use("headers", stripInternalFields);
  host.http.use(
    "cache",
    replyCache(
      parts,
      invalidateOnWrite(parts, () => host.http.routes()),
    ),
  );
  documentCache(host, config, option);
  publishMetrics(host, counts, raw, store);
  host.insight.panel(
    cachePanel({
      counts,
      size: () => sizeOf(raw),
      drop: (tags) => purges.drop(checkedTags(tags).map(programTag)),
    }),
  );
  host.life.onStart({
    name: "cache",
    run: async () => {
      store.log = log();
      await purges.start(host.state.shared.values);
    },
  });
  host.advise(({ severalHosts, sharedPorts }) =>
    severalHosts && config.store === undefined && !sharedPorts.includes("values") ? [purgesOneHost] : [],
  );
  host.life.onStop({ name: "cache", run: () => purges.stop() });
  return parts;
};

const purgesOneHost: Problem = {
  code: "CACHE_PURGES_ONE_HOST",
  message:
    "cached replies are in the memory of each host, and invalidateCache drops them on one host only; share the state with enableRedis({ shared: true }), or pass a store that all hosts share",
};
