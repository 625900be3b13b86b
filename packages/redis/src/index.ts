export { redis, RedisClient, type RedisMethods } from "./redis.ts";
export { RedisConfig, type RedisConfigRecord } from "./redis-config.ts";
export { RedisUnavailableError } from "./redis-errors.ts";
export { type LendOptions, type OpenRedis, openRedis, type OpenRedisOptions } from "./open-redis.ts";
export type { RedisFigures } from "./client/figures.ts";
export type { RedisSource } from "./redis-source.ts";
export {
  redisSharedState,
  type RedisSharedState,
  type RedisSharedStateOptions,
} from "./shared-state/redis-shared-state.ts";
export {
  redisRateLimitStore,
  type RedisRateLimitStore,
  type RedisRateLimitStoreOptions,
} from "./permits/redis-rate-limit-store.ts";
export {
  redisCacheStore,
  type RedisCacheStore,
  type RedisCacheStoreOptions,
  type RedisSetOptions,
} from "./cache/redis-cache-store.ts";
export type { StoredEntry } from "./cache/entry-format.ts";
export {
  redisTokenStore,
  type RedisTokenStore,
  type RedisTokenStoreOptions,
} from "./tokens/redis-token-store.ts";
