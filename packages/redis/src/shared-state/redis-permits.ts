import { checkPermits, type Permits } from "@framework/core/feature";
import { orUnavailable } from "../redis-errors.ts";
import { checkName, type RedisSource } from "../redis-source.ts";
import { takePermits } from "./permit-script.ts";

/** Options of `redisPermits`. */
export interface RedisPermitsOptions {
  /** Put before every key, without braces; services with one name share their permits. @default "permits" */
  readonly name?: string;
}

/**
 * Creates permits shared by all hosts with one Redis. Each decision is atomic, by the server's clock. Keys expire once all permits are back.
 *
 * @example
 * app.enableRateLimit({ maxRequests: 1000, store: redisPermits(app) });
 * @throws CORE_SHARED_STATE_UNAVAILABLE from every call that Redis did not answer; whether it took effect is unknown
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
