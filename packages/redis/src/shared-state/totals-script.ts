import { TOTALS_PAGE_SIZE, type Total } from "@framework/core/feature";
import type { IoredisClient } from "../client/ioredis.ts";
import { Script } from "../client/script.ts";

/** Maximum size of a key: the bytes of its names, plus 8 per total. */
const MAX_SIZE = 16_777_216;
/** TTL of a key after its last addition, in seconds: 30 days. */
const TTL_SECS = 2_592_000;

/**
 * KEYS: a hash of `s` size, `c` number of names, per name `n<name>` its position, and per position `t<position>` the name and its totals, so that
 * a page needs one command. The position of a name that UTF-8 cannot represent is `l<JSON of the name>`. ARGV: amounts as JSON, maximum size, TTL.
 * Returns 1, or 0 if there is no room: either all amounts are added or none. A sum that is not finite would not be JSON, so sums end at the largest number.
 */
const add = new Script(`
local LARGEST = 1.7976931348623157e308
local function fieldOf(amount) return (amount[3] and 'l' or 'n') .. amount[1] end
local amounts = cjson.decode(ARGV[1])
local size = tonumber(redis.call('HGET', KEYS[1], 's') or 0)
local count = tonumber(redis.call('HGET', KEYS[1], 'c') or 0)
local isNew = {}
for _, amount in ipairs(amounts) do
  local field = fieldOf(amount)
  if not isNew[field] and redis.call('HEXISTS', KEYS[1], field) == 0 then
    isNew[field] = true
    size = size + #amount[1] + 8 * #amount[2]
  end
end
if size > tonumber(ARGV[2]) then return 0 end
for _, amount in ipairs(amounts) do
  local field = fieldOf(amount)
  local position = redis.call('HGET', KEYS[1], field)
  local totals = amount[2]
  if position then
    totals = cjson.decode(string.match(redis.call('HGET', KEYS[1], 't' .. position), '(%[[^%[%]]*%])%]$'))
    for i = 1, #totals do
      totals[i] = math.max(-LARGEST, math.min(LARGEST, totals[i] + (amount[2][i] or 0)))
    end
  else
    position = string.format('%d', count)
    redis.call('HSET', KEYS[1], field, position)
    count = count + 1
  end
  local texts = {}
  for i = 1, #totals do texts[i] = string.format('%.17g', totals[i]) end
  local name = amount[3] and amount[1] or cjson.encode(amount[1])
  local row = '[' .. name .. ',[' .. table.concat(texts, ',') .. ']]'
  redis.call('HSET', KEYS[1], 't' .. position, row)
end
redis.call('HSET', KEYS[1], 's', size, 'c', count)
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
`);

/** Adds to totals atomically; `false` if there is no room. */
export const addTotals = async (
  client: IoredisClient,
  key: string,
  amounts: readonly Total[],
): Promise<boolean> => {
  if (amounts.length === 0) return true;
  const list = amounts.map(([name, numbers]) =>
    name.isWellFormed() ? [name, numbers] : [JSON.stringify(name), numbers, 1],
  );
  return (await add.run(client, [key], [JSON.stringify(list), MAX_SIZE, TTL_SECS])) === 1;
};

/** Returns a page of totals, in order of first use. */
export const readTotals = async (
  client: IoredisClient,
  key: string,
  from: number,
): Promise<readonly Total[]> => {
  const fields = Array.from({ length: TOTALS_PAGE_SIZE }, (_, index) => `t${from + index}`);
  const rows = await client.hmget(key, ...fields);
  return rows.flatMap((row) => (row === null ? [] : [JSON.parse(row) as Total]));
};
