import { checkPermits, type Permits } from "@framework/core/feature";
import { orUnavailable } from "../redis-errors.ts";
import { checkName, type RedisSource } from "../redis-source.ts";
import { takePermits } from "./permit-script.ts";

/** Options of `redisPermits`. */
export interface RedisPermitsOptions {
  /** Prefix of every key, without braces. Services with the same name share their permits. @default "permits" */
  readonly name?: string;
}

/**
 * Creates permits shared by all hosts with one Redis. Each decision is atomic, by the server's clock. A key expires once all of its permits are free.
 *
 * @example
 * app.enableRateLimit({ maxRequests: 1000, store: redisPermits(app) });
 * @throws REDIS_BAD_NAME; each call: CORE_SHARED_STATE_UNAVAILABLE if Redis does not reply; the outcome of the call is unknown
 */
export const redisPermits = (
  source: RedisSource,
  { name = "permits" }: RedisPermitsOptions = {},
): Permits => {
  checkName(name);
  return {
    async take(key, rule, request) {
      checkPermits(key, rule, request);
      return orUnavailable(() => takePermits(source.redis, `${name}:p:`, key, rule, request));
    },
  };
};
