import type { Added } from "@framework/core/feature";
import type { IoredisClient } from "../client/ioredis.ts";
import { Script } from "../client/script.ts";

/** ARGV: amount, ceiling, life in whole milliseconds. Answers value, granted, and milliseconds left, or -1 for a counter that the call made or did not make. */
const script = new Script(`
local function text(n) return string.format('%.17g', n) end
local present = redis.call('GET', KEYS[1])
local before = 0
if present then
  before = tonumber(present)
  if not before then return 'no counter' end
end
local amount, ceiling = tonumber(ARGV[1]), tonumber(ARGV[2])
local room = math.max(0, ceiling - before)
local granted
if amount > 0 then granted = math.min(amount, room) else granted = -math.min(-amount, math.max(0, before)) end
local value = before + granted
if granted > 0 and granted == room then value = ceiling end
if granted == 0 then granted = 0 end
if present then
  if granted ~= 0 then redis.call('SET', KEYS[1], text(value), 'KEEPTTL') end
  return { text(value), text(granted), text(redis.call('PTTL', KEYS[1])) }
end
if granted ~= 0 then redis.call('SET', KEYS[1], text(value), 'PX', ARGV[3]) end
return { text(value), text(granted), '-1' }
`);

/** Adds to a counter in one step; `null` when the key holds something else. */
export const addToCounter = async (
  client: IoredisClient,
  key: string,
  amount: number,
  { ttlMs, max }: { readonly ttlMs: number; readonly max: number },
): Promise<Added | null> => {
  const answer = await script.run(client, [key], [amount, max, wholeMs(ttlMs)]);
  if (!Array.isArray(answer)) return null;
  const [value = 0, granted = 0, left = -1] = answer.map(Number);
  return { value: value + 0, granted: granted + 0, expiresInMs: left < 0 ? ttlMs : left };
};

/** Most milliseconds that Redis is asked to keep anything: longer than every service lives, and far below what it can count. */
const LONGEST_MS = 1e14;

/** A life as Redis takes it. */
export const wholeMs = (ttlMs: number): number => Math.min(LONGEST_MS, Math.max(1, Math.ceil(ttlMs)));
