import { keyHash } from "../client/key-hash.ts";
import { Script } from "../client/script.ts";
import { checkName, type RedisSource } from "../redis-source.ts";

/** A store for `JwtConfig.store`: the port `TokenStore` of `@framework/auth`. */
export interface RedisTokenStore {
  /** Revokes an id until it expires. */
  revoke(id: string, expiresAt: number): Promise<void>;
  /** Whether an id is revoked. */
  isRevoked(id: string): Promise<boolean>;
  /** Atomically consumes a generation of an id. True for exactly one caller. */
  consume(id: string, generation: number, expiresAt: number): Promise<boolean>;
}

/** Options of `redisTokenStore`. */
export interface RedisTokenStoreOptions {
  /** Prefix of every key, without braces. Services with the same name share their revocations. @default "tokens" */
  readonly name?: string;
}

/** Value of a revoked id; other ids have the consumed generation. */
const REVOKED = "revoked";

/** Lua: the remaining life in whole milliseconds until the expiry in ARGV[1], in seconds since 1970, or that of the key if it is longer. */
const LEFT = `
local clock = redis.call('TIME')
local left = math.ceil(tonumber(ARGV[1]) * 1000 - (tonumber(clock[1]) * 1000 + tonumber(clock[2]) / 1000))
local function px(least) return string.format('%.0f', math.max(left, least, redis.call('PTTL', KEYS[1]))) end
`;

/** KEYS: id. ARGV: expiry. A later expiry wins; one in the past has no effect. */
const revoke = new Script(`${LEFT}
if left <= 0 then return 0 end
redis.call('SET', KEYS[1], '${REVOKED}', 'PX', px(1))
return 1
`);

/** KEYS: id. ARGV: expiry, generation. Returns 1 for exactly one caller. An expired id is kept for a second, for concurrent callers. */
const consume = new Script(`${LEFT}
local known = redis.call('GET', KEYS[1])
if known == '${REVOKED}' or (known and tonumber(known) >= tonumber(ARGV[2])) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', px(1000))
return 1
`);

/**
 * Creates a store of revoked tokens and renewed logins in Redis, shared by all hosts and kept across restarts. One entry each, which expires with its tokens.
 * Give the server `maxmemory-policy noeviction`, so that a full one refuses instead of forgetting.
 *
 * @example
 * const auth = new JwtAuth({ secret, store: redisTokenStore(app) });
 * @throws RedisUnavailableError (503) if Redis does not answer; access is then denied
 */
export const redisTokenStore = (
  source: RedisSource,
  { name = "tokens" }: RedisTokenStoreOptions = {},
): RedisTokenStore => {
  checkName(name);
  const keyOf = (id: string): string => `${name}:${keyHash(id)}`;
  return {
    async revoke(id, expiresAt) {
      await revoke.run(source.redis, [keyOf(id)], [expiresAt]);
    },
    async isRevoked(id) {
      return (await source.redis.get(keyOf(id))) === REVOKED;
    },
    async consume(id, generation, expiresAt) {
      return (await consume.run(source.redis, [keyOf(id)], [expiresAt, generation])) === 1;
    },
  };
};
