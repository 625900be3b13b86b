import type { PermitResult, PermitRequest, PermitRule } from "@framework/core/feature";
import type { IoredisClient } from "../client/ioredis.ts";
import { keyHash } from "../client/key-hash.ts";
import { Script } from "../client/script.ts";
import { MAX_TTL_MS } from "./counter-script.ts";

/**
 * Decides atomically, by the server's clock. While the clock is before the last update, time stands still, so that setting the clock back frees nothing early.
 * If it is back by more than a window, the clock was wrong before: uses in the future count as used now, and leases end earlier by the same amount.
 *
 * KEYS: a hash (`k` kind, `v` level or number used, `a` last update, `n` number leased, `c:<time>` uses at a time, `l:<holder>` size of a lease); a
 * sorted set of the times in a window; a sorted set of leases by expiry. ARGV: kind, capacity, window, spend; with a lease also holder, hold, max,
 * share, duration, ages of uses. Returns spent, leased, free, leased by others, wait and reset.
 */
const script = new Script(`
local h, z, l = KEYS[1], KEYS[2], KEYS[3]
local kind, capacity, window, spend = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local function text(n) return string.format('%.17g', n) end
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + tonumber(clock[2]) / 1000
local state = redis.call('HMGET', h, 'k', 'v', 'a', 'n')
if state[1] and state[1] ~= kind then
  redis.call('DEL', h, z, l)
  state = {}
end
local isBucket = kind == 'bucket'
local known = state[1] and true or false
local value = known and tonumber(state[2]) or (isBucket and capacity or 0)
local at = known and tonumber(state[3]) or now
local leased = known and tonumber(state[4]) or 0
local ahead = at - now
if ahead > window then at = now elseif ahead > 0 then now = at end

local function advance(when)
  if isBucket then
    local level = value + math.max(0, when - at) * capacity / window
    value = math.min(math.max(0, capacity - leased), level)
    at = math.max(at, when)
    return
  end
  at = math.max(at, when)
  if not known then return end
  local due = redis.call('ZRANGEBYSCORE', z, '-inf', text(at - window))
  for _, time in ipairs(due) do
    value = value - tonumber(redis.call('HGET', h, 'c:' .. time) or 0)
    redis.call('HDEL', h, 'c:' .. time)
    redis.call('ZREM', z, time)
  end
end

local function report(count, when)
  if isBucket then return end
  local time = when
  if capacity > 1000 then
    local step = window / 64
    time = math.ceil(when / step) * step
  end
  if time + window <= at then return end
  value = value + count
  time = text(time)
  redis.call('HINCRBY', h, 'c:' .. time, count)
  redis.call('ZADD', z, time, time)
end

if ahead > window then
  local future = 0
  for _, time in ipairs(redis.call('ZRANGEBYSCORE', z, '(' .. text(now), '+inf')) do
    future = future + tonumber(redis.call('HGET', h, 'c:' .. time) or 0)
    redis.call('HDEL', h, 'c:' .. time)
    redis.call('ZREM', z, time)
  end
  value = isBucket and value or value - future
  if future > 0 then report(future, now) end
  local leases = redis.call('ZRANGE', l, 0, -1, 'WITHSCORES')
  for i = 1, #leases, 2 do redis.call('ZADD', l, text(tonumber(leases[i + 1]) - ahead), leases[i]) end
end

local function free()
  if isBucket then return math.max(0, math.floor(value + 1e-6)) end
  return math.max(0, math.floor(capacity) - value - leased)
end

while leased > 0 do
  local first = redis.call('ZRANGE', l, 0, 0, 'WITHSCORES')
  if not first[1] or tonumber(first[2]) > now then break end
  local ends = tonumber(first[2])
  advance(ends)
  local amount = tonumber(redis.call('HGET', h, 'l:' .. first[1]) or 0)
  redis.call('HDEL', h, 'l:' .. first[1])
  redis.call('ZREM', l, first[1])
  leased = leased - amount
  report(amount, ends)
end
advance(now)

local holder, kept = ARGV[5], 0
if holder then
  local amount = tonumber(redis.call('HGET', h, 'l:' .. holder) or 0)
  local uses = math.min(#ARGV - 9, amount)
  for i = 1, uses do report(1, now - tonumber(ARGV[9 + i])) end
  kept = math.min(tonumber(ARGV[6]), amount - uses)
  if isBucket then value = value + amount - uses - kept end
  leased = leased - amount + kept
end
local rest = free()
local spent = math.min(spend, rest)
if isBucket then value = value - spent elseif spent > 0 then report(spent, now) end
local more = 0
if holder then
  more = math.min(tonumber(ARGV[7]), rest - spent, math.floor(rest * tonumber(ARGV[8])) - spent - kept)
  more = math.max(0, more)
  if kept + more > 0 then
    redis.call('HSET', h, 'l:' .. holder, kept + more)
    redis.call('ZADD', l, text(now + tonumber(ARGV[9])), holder)
  else
    redis.call('HDEL', h, 'l:' .. holder)
    redis.call('ZREM', l, holder)
  end
  if isBucket then value = value - more end
  leased = leased + more
end

local left = free()
local lastEnd = redis.call('ZRANGE', l, -1, -1, 'WITHSCORES')[2]
local leasesLeft = lastEnd and math.max(0, tonumber(lastEnd) - now) or 0
local reset = 0
if isBucket then
  reset = math.max(0, (capacity - value) * window / capacity)
else
  local last = redis.call('ZRANGE', z, -1, -1)[1]
  if last then reset = tonumber(last) + window - at end
end

local wait = 0
if left == 0 then
  wait = leasesLeft + window
  if isBucket then
    if 1 <= capacity - leased then wait = (1 - value) * window / capacity end
  else
    local owed = 1 + math.max(0, value + leased - math.floor(capacity))
    local from = 0
    while owed > 0 do
      local times = redis.call('ZRANGE', z, from, from + 63)
      if #times == 0 then break end
      for _, time in ipairs(times) do
        owed = owed - tonumber(redis.call('HGET', h, 'c:' .. time) or 0)
        if owed <= 0 then
          wait = tonumber(time) + window - at
          break
        end
      end
      from = from + 64
    end
  end
end

local fullIn = leasesLeft + (leased > 0 and window or 0) + reset
if fullIn <= 0 then
  redis.call('DEL', h, z, l)
else
  redis.call('HSET', h, 'k', kind, 'v', text(value), 'a', text(at), 'n', leased)
  local life = string.format('%.0f', math.min(${MAX_TTL_MS}, math.ceil(fullIn) + 1))
  redis.call('PEXPIRE', h, life)
  redis.call('PEXPIRE', z, life)
  redis.call('PEXPIRE', l, life)
end
return { text(spent), text(more), text(left), text(leased - kept - more), text(wait), text(reset) }
`);

/** Spends and leases permits of a key. Its three Redis keys share a hash tag, so that a cluster keeps them on one node. */
export const takePermits = async (
  client: IoredisClient,
  prefix: string,
  key: string,
  { kind, capacity, windowMs }: PermitRule,
  { spend, lease }: PermitRequest,
): Promise<PermitResult> => {
  const base = `${prefix}{${keyHash(key)}}`;
  const args: (string | number)[] = [kind, capacity, windowMs, spend];
  if (lease !== undefined) {
    const { holder, hold, max, share, leaseMs, used } = lease;
    args.push(holder, hold, max, share, leaseMs, ...used);
  }
  const reply = (await script.run(client, [base, `${base}:t`, `${base}:l`], args)) as readonly string[];
  const [spent = 0, leased = 0, free = 0, elsewhere = 0, waitMs = 0, resetMs = 0] = reply.map(Number);
  return { spent, leased, free, elsewhere, waitMs, resetMs };
};
