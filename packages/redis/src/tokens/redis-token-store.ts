import { keyHash } from "../client/key-hash.ts";
import { Script } from "../client/script.ts";
import { checkName, type RedisSource } from "../redis-source.ts";

/** A store for `JwtConfig.store`: the port `TokenStore` of `@framework/auth`. */
export interface RedisTokenStore {
  revoke(id: string, expiresAt: number): Promise<void>;
  isRevoked(id: string): Promise<boolean>;
  consume(id: string, expiresAt: number): Promise<boolean>;
}

/** Options of `redisTokenStore`. */
export interface RedisTokenStoreOptions {
  /** Put before every key, without braces; services with one name share their revocations. @default "tokens" */
  readonly name?: string;
}

/** ARGV: the expiry in seconds since 1970. The later of two counts; one in the past leaves no trace. */
const revoke = new Script(`
local ends = tonumber(ARGV[1]) * 1000
local clock = redis.call('TIME')
local left = math.ceil(ends - (tonumber(clock[1]) * 1000 + tonumber(clock[2]) / 1000))
if left <= redis.call('PTTL', KEYS[1]) or left <= 0 then return 0 end
redis.call('SET', KEYS[1], '1', 'PX', string.format('%.0f', left))
return 1
`);

/** ARGV: the expiry in seconds since 1970. An expired id is kept briefly, so that exactly one concurrent caller is first. */
const consume = new Script(`
local clock = redis.call('TIME')
local left = math.ceil(tonumber(ARGV[1]) * 1000 - (tonumber(clock[1]) * 1000 + tonumber(clock[2]) / 1000))
if redis.call('SET', KEYS[1], '1', 'NX', 'PX', string.format('%.0f', math.max(1000, left))) then return 1 end
return 0
`);

/**
 * Creates a store of revoked tokens in Redis, shared by all hosts and kept across restarts. An entry expires with its token.
 *
 * @example
 * const auth = new JwtAuth({ secret, store: redisTokenStore(app) });
 * @throws RedisUnavailableError (503) when Redis does not answer: access is denied then
 */
export const redisTokenStore = (
  source: RedisSource,
  { name = "tokens" }: RedisTokenStoreOptions = {},
): RedisTokenStore => {
  checkName(name);
  return {
    async revoke(id, expiresAt) {
      await revoke.run(source.redis, [`${name}:revoked:${keyHash(id)}`], [expiresAt]);
    },
    async isRevoked(id) {
      return (await source.redis.exists(`${name}:revoked:${keyHash(id)}`)) === 1;
    },
    async consume(id, expiresAt) {
      return (await consume.run(source.redis, [`${name}:used:${keyHash(id)}`], [expiresAt])) === 1;
    },
  };
};
