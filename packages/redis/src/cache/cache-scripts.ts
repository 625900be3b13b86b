import { Script } from "../client/script.ts";

/**
 * An entry is a hash: `k` kind, `i` id, `t` keys of its tag indexes (space-separated), `m` metadata, `b` body. A tag index is a sorted set of entry
 * keys, scored by expiry. An entry is valid only while all of its tag indexes contain it: dropping or evicting an index invalidates its entries.
 */
const PRELUDE = `
local function now()
  local clock = redis.call('TIME')
  return tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
end
local function isListed(entry, tags)
  for tag in string.gmatch(tags, '%S+') do
    if not redis.call('ZSCORE', tag, entry) then return false end
  end
  return true
end
`;

/** KEYS: entry. Returns its metadata and body, or nil. */
export const readEntry: Script = new Script(`${PRELUDE}
local found = redis.call('HMGET', KEYS[1], 't', 'm', 'b')
if not found[1] or not isListed(KEYS[1], found[1]) then return nil end
return { found[2], found[3] }
`);

/** KEYS: entry, tag indexes. ARGV: kind, id, metadata, body, TTL in milliseconds, id to replace or an empty string. Returns 1 if stored, else 0. */
export const writeEntry: Script = new Script(`${PRELUDE}
local entry = KEYS[1]
if ARGV[6] ~= '' then
  local present = redis.call('HMGET', entry, 'i', 't')
  if present[1] ~= ARGV[6] or not isListed(entry, present[2]) then return 0 end
end
local time = now()
local ends = string.format('%.0f', time + tonumber(ARGV[5]))
local tags = {}
for i = 2, #KEYS do
  tags[#tags + 1] = KEYS[i]
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', string.format('%.0f', time))
  redis.call('ZADD', KEYS[i], ends, entry)
  if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[5]) then redis.call('PEXPIREAT', KEYS[i], ends) end
end
redis.call('DEL', entry)
redis.call('HSET', entry, 'k', ARGV[1], 'i', ARGV[2], 't', table.concat(tags, ' '), 'm', ARGV[3], 'b', ARGV[4])
redis.call('PEXPIREAT', entry, ends)
return 1
`);

/** KEYS: entry. Returns 1 if there was a valid entry, else 0. */
export const deleteEntry: Script = new Script(`${PRELUDE}
local tags = redis.call('HGET', KEYS[1], 't')
if not tags then return 0 end
local existed = isListed(KEYS[1], tags) and 1 or 0
redis.call('UNLINK', KEYS[1])
return existed
`);

/** KEYS: index, new name of the dropped index. Returns 1 if the index existed, else 0. The rename invalidates its entries at once. */
export const dropIndex: Script = new Script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('RENAME', KEYS[1], KEYS[2])
return 1
`);

/** KEYS: a dropped index. ARGV: batch size. Removes a batch of entries. Returns the number of removed replies and of remaining entries. */
export const clearIndex: Script = new Script(`${PRELUDE}
local entries = redis.call('ZPOPMIN', KEYS[1], ARGV[1])
local replies = 0
for i = 1, #entries, 2 do
  local found = redis.call('HMGET', entries[i], 'k', 't')
  if found[1] and not isListed(entries[i], found[2]) then
    if found[1] == 'reply' then replies = replies + 1 end
    redis.call('UNLINK', entries[i])
  end
end
return { replies, redis.call('ZCARD', KEYS[1]) }
`);
