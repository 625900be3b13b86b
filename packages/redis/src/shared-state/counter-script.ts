import type { AddResult } from "@framework/core/feature";
import type { IoredisClient } from "../client/ioredis.ts";
import { Script } from "../client/script.ts";

/**
 * KEYS: counter. ARGV: amount, maximum, TTL in whole milliseconds. Returns the value, the granted amount and the remaining TTL, -1 for a counter that did not
 * exist.
 */
const script = new Script(`
local function text(n) return string.format('%.17g', n) end
local present = redis.call('GET', KEYS[1])
local before = 0
if present then
  before = tonumber(present)
  if not before then return 'not a number' end
end
local amount, maximum = tonumber(ARGV[1]), tonumber(ARGV[2])
local room = math.max(0, maximum - before)
local granted
if amount > 0 then granted = math.min(amount, room) else granted = -math.min(-amount, math.max(0, before)) end
local value = before + granted
if granted > 0 and granted == room then value = maximum end
if granted == 0 then granted = 0 end
if present then
  if granted ~= 0 then redis.call('SET', KEYS[1], text(value), 'KEEPTTL') end
  return { text(value), text(granted), text(redis.call('PTTL', KEYS[1])) }
end
if granted ~= 0 then redis.call('SET', KEYS[1], text(value), 'PX', ARGV[3]) end
return { text(value), text(granted), '-1' }
`);

/** Adds to a counter atomically; `null` if the key has a value that is not a number. */
export const addToCounter = async (
  client: IoredisClient,
  key: string,
  amount: number,
  { ttlMs, max }: { readonly ttlMs: number; readonly max: number },
): Promise<AddResult | null> => {
  const reply = await script.run(client, [key], [amount, max, wholeMs(ttlMs)]);
  if (!Array.isArray(reply)) return null;
  const [value = 0, granted = 0, remainingMs = -1] = reply.map(Number);
  return { value: value + 0, granted: granted + 0, expiresInMs: remainingMs < 0 ? ttlMs : remainingMs };
};

/** Maximum TTL in milliseconds (3,000 years); Redis rejects values that overflow 64 bits. */
export const MAX_TTL_MS = 1e14;

/** Converts a TTL to the whole milliseconds that Redis accepts. */
export const wholeMs = (ttlMs: number): number => Math.min(MAX_TTL_MS, Math.max(1, Math.ceil(ttlMs)));
