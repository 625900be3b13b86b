export { cacheTags } from "./route/cache-tags.ts";
export { type Caching, caching } from "./caching.ts";
export type { CachingRouteOptions, RouteCache } from "./route/route-cache.ts";
export { type CachedMethod, CachingConfig } from "./caching-config.ts";
export type {
  CacheEntry,
  CacheStore,
  SetOptions,
  StoredReply,
  StoreSize,
  VaryingReplies,
} from "./store/cache-store.ts";
export { type MemoryStore, memoryStore, type MemoryStoreOptions } from "./store/memory-store.ts";
export { cacheErrors } from "./error-codes.ts";
