import type { IoredisClient } from "../client/ioredis.ts";
import { Script } from "../client/script.ts";
import { wholeMs } from "./counter-script.ts";

/** KEYS: value. ARGV: number, TTL in whole milliseconds. Returns 1 if it was stored; a longer TTL of the key is kept. */
const script = new Script(`
local present = redis.call('GET', KEYS[1])
if present then
  local before = tonumber(present)
  if not before then return 'not a number' end
  if before >= tonumber(ARGV[1]) then return 0 end
  if redis.call('PTTL', KEYS[1]) >= tonumber(ARGV[2]) then
    redis.call('SET', KEYS[1], ARGV[1], 'KEEPTTL')
    return 1
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`);

/** Raises a number atomically. Returns whether it was lower or absent; `null` if the key has a value that is not a number. */
export const raiseValue = async (
  client: IoredisClient,
  key: string,
  value: number,
  ttlMs: number,
): Promise<boolean | null> => {
  const reply = await script.run(client, [key], [value, wholeMs(ttlMs)]);
  return typeof reply === "number" ? reply === 1 : null;
};
