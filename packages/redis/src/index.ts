export { redis, RedisClient, type RedisMethods } from "./redis.ts";
export { RedisConfig, type RedisConfigRecord } from "./redis-config.ts";
export { RedisUnavailableError } from "./redis-errors.ts";
export { type LeaseOptions, type OpenRedis, openRedis, type OpenRedisOptions } from "./open-redis.ts";
export type { RedisMetrics } from "./client/metrics.ts";
export type { RedisSource } from "./redis-source.ts";
export { redisValues, type RedisValues, type RedisValuesOptions } from "./shared-state/redis-values.ts";
export { redisPermits, type RedisPermitsOptions } from "./shared-state/redis-permits.ts";
export { redisTotals, type RedisTotalsOptions } from "./shared-state/redis-totals.ts";
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
export { redisErrors } from "./error-codes.ts";
