import type { PermitRule, Permits } from "@framework/core/feature";
import { checkName, type RedisSource } from "../redis-source.ts";
import { takePermits } from "./permit-script.ts";

/** A store for `enableRateLimit`: the port `RateLimitStore` of `@framework/rate-limit`. */
export interface RedisRateLimitStore {
  take(key: string, rule: PermitRule, ask: { readonly spend: number }): Promise<Permits>;
}

/** How the store names what it keeps. */
export interface RedisRateLimitStoreOptions {
  /** Put before every key, without braces; services with one name share their limits. @default "rate-limit" */
  readonly name?: string;
}

/**
 * Keeps the permits of a rate limit in Redis, so that all hosts share them: one step of the server for each decision, by its own clock.
 *
 * @example
 * app.enableRateLimit({ maxRequests: 1000, store: redisRateLimitStore(app) });
 */
export const redisRateLimitStore = (
  source: RedisSource,
  { name = "rate-limit" }: RedisRateLimitStoreOptions = {},
): RedisRateLimitStore => {
  checkName(name);
  return {
    take: async (key, rule, ask) => takePermits(source.redis, `${name}:`, key, rule, ask),
  };
};
