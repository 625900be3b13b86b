import { FrameworkError } from "@framework/core";
import { checkKey, checkPosition, checkTotals, type Totals } from "@framework/core/feature";
import { keyHash } from "../client/key-hash.ts";
import { orUnavailable } from "../redis-errors.ts";
import { checkName, type RedisSource } from "../redis-source.ts";
import { addTotals, readTotals } from "./totals-script.ts";

/** Options of `redisTotals`. */
export interface RedisTotalsOptions {
  /** Prefix of every key, without braces. Services with the same name share their totals. @default "totals" */
  readonly name?: string;
}

/**
 * Creates totals shared by all hosts with one Redis. A key expires 30 days after its last addition.
 *
 * @throws REDIS_BAD_NAME; each call: CORE_SHARED_STATE_UNAVAILABLE if Redis does not reply; the outcome of the call is unknown. `add`:
 * CORE_SHARED_STATE_FULL
 */
export const redisTotals = (source: RedisSource, { name = "totals" }: RedisTotalsOptions = {}): Totals => {
  checkName(name);
  const totalsKey = (key: string): string => `${name}:t:${keyHash(key)}`;
  return {
    async add(key, amounts) {
      checkTotals(key, amounts);
      if (await orUnavailable(() => addTotals(source.redis, totalsKey(key), amounts))) return;
      const message = `the totals of "${key}" are full; check whether clients can choose the names`;
      throw new FrameworkError("CORE_SHARED_STATE_FULL", message);
    },
    async read(key, from = 0) {
      checkKey(key);
      checkPosition(from);
      return orUnavailable(() => readTotals(source.redis, totalsKey(key), from));
    },
  };
};
