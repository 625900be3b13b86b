export { cacheTags } from "./cache-tags.ts";
export { type Caching, caching } from "./caching.ts";
export type { CachingRouteOptions, RouteCache } from "./route-cache.ts";
export { type CachedMethod, CachingConfig } from "./caching-config.ts";
export type {
  CacheEntry,
  CacheStore,
  SetOptions,
  StoredReply,
  StoreSize,
  VaryingReplies,
} from "./cache-store.ts";
export { type MemoryStore, memoryStore, type MemoryStoreOptions } from "./memory-store.ts";
export { cacheErrors } from "./error-codes.ts";
