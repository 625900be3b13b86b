import { type Clock, systemClock } from "@framework/core/feature";
import type { Logger } from "@framework/core";
import { evictionWarning } from "../eviction-warning.ts";
import { keyHash } from "../client/key-hash.ts";
import { Script } from "../client/script.ts";
import { checkName, type RedisSource } from "../redis-source.ts";
import { MAX_TTL_MS } from "../shared-state/counter-script.ts";

/** A store for `JwtConfig.store`: the port `TokenStore` of `@framework/auth`. */
export interface RedisTokenStore {
  /** Revokes an id. @param expiresAt Unix seconds until which it stays revoked; the later of two expiries applies */
  revoke(id: string, expiresAt: number): Promise<void>;
  /** Whether an id is revoked. */
  isRevoked(id: string): Promise<boolean>;
  /** Atomically consumes a generation of an id. True for exactly one caller, and only if no later generation was consumed and the id was not revoked. */
  consume(id: string, generation: number, expiresAt: number): Promise<boolean>;
}

/** Options of `redisTokenStore`. */
export interface RedisTokenStoreOptions {
  /** Prefix of every key, without braces. Services with the same name share their revocations. @default "tokens" */
  readonly name?: string;
  /** Clock of expiry. It must be the clock by which tokens are verified; that of Redis does not matter. @default the system clock */
  readonly clock?: Clock;
  /** Logs `REDIS_EVICTS_KEYS`. @default console */
  readonly log?: Pick<Logger, "warn">;
}

/** Value of a revoked id; the value of any other id is its last consumed generation. */
const REVOKED = "revoked";

/** Milliseconds that an entry outlives its tokens: clocks of hosts differ, and a host with a slow clock accepts a token for longer. */
const MARGIN_MS = 60_000;

/** Lua: the new TTL of the key in milliseconds: ARGV[1], or the remaining TTL if that is longer. */
const LIFE = `
local life = tonumber(ARGV[1])
local function px(min) return string.format('%.0f', math.max(life, min, redis.call('PTTL', KEYS[1]))) end
`;

/** KEYS: id. ARGV: TTL. The longer TTL applies; an expired one has no effect. */
const revoke = new Script(`${LIFE}
if life <= 0 then return 0 end
redis.call('SET', KEYS[1], '${REVOKED}', 'PX', px(1))
return 1
`);

/** KEYS: id. ARGV: TTL, generation. Returns 1 for exactly one caller, otherwise 0. An expired id is kept for a second, for concurrent callers. */
const consume = new Script(`${LIFE}
local known = redis.call('GET', KEYS[1])
if known == '${REVOKED}' or (known and tonumber(known) >= tonumber(ARGV[2])) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', px(1000))
return 1
`);

/**
 * Creates a store of revoked tokens and renewed logins in Redis, shared by all hosts, which persists across restarts. Each has one entry, which expires a
 * minute after its tokens.
 * Set `maxmemory-policy noeviction` on the server, so that a full server refuses writes instead of dropping revocations.
 *
 * @example
 * const auth = new JwtAuth({ secret, store: redisTokenStore(app) });
 * @throws REDIS_BAD_NAME; each call: RedisUnavailableError (503) if Redis does not reply; access is then denied
 */
export const redisTokenStore = (
  source: RedisSource,
  { name = "tokens", clock = systemClock, log = console }: RedisTokenStoreOptions = {},
): RedisTokenStore => {
  checkName(name);
  const keyOf = (id: string): string => `${name}:${keyHash(id)}`;
  const warnOfEviction = evictionWarning(source, log);
  const lifeMs = (expiresAt: number): number =>
    Math.min(MAX_TTL_MS, Math.ceil(expiresAt * 1000 - clock.date()) + MARGIN_MS);
  return {
    async revoke(id, expiresAt) {
      await revoke.run(source.redis, [keyOf(id)], [lifeMs(expiresAt)]);
      warnOfEviction();
    },
    async isRevoked(id) {
      return (await source.redis.get(keyOf(id))) === REVOKED;
    },
    async consume(id, generation, expiresAt) {
      const consumed = await consume.run(source.redis, [keyOf(id)], [lifeMs(expiresAt), generation]);
      warnOfEviction();
      return consumed === 1;
    },
  };
};
