import { Script } from "../client/script.ts";
import type { RedisSource } from "../redis-source.ts";
import type { BusLink, BusLinkEvents, MemberList } from "./bus-link.ts";
import { Subscriber } from "./subscriber.ts";

/** Options of `redisBusLink`. */
export interface RedisBusLinkOptions {
  readonly source: RedisSource;
  readonly name: string;
  /** Id of this process. */
  readonly id: string;
  /** Timeout of the commands of the subscription, in milliseconds. */
  readonly timeoutMs: number;
}

/** Milliseconds for which the list includes a member that has left or expired: longer than any process waits for it. */
const SHOWN_MS = 20_000;
/** Prefix of a member that announced its departure. */
const LEFT = "-";

/**
 * The members are a sorted set, scored by the end of their membership on the server's clock. An ended membership stays listed for a while, so that other
 * processes can distinguish it from one that was lost with the server's data.
 */
const PRELUDE = `
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local function list(uptime)
  local rows = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  for i = 2, #rows, 2 do rows[i] = string.format('%.0f', tonumber(rows[i]) - now) end
  return { uptime, rows }
end
`;

/**
 * KEYS: members. ARGV: member, lifetime in milliseconds, time for which ended ones are listed. Returns the seconds since the server started (empty if an ACL
 * forbids INFO), and the members.
 */
const renew = new Script(`${PRELUDE}
redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[2])), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - tonumber(ARGV[3])))
redis.call('PEXPIRE', KEYS[1], 60000)
local info = redis.pcall('INFO', 'server')
return list(type(info) == 'string' and string.match(info, 'uptime_in_seconds:(%d+)') or '')
`);

/** KEYS: members. ARGV: channel, message. Always sent in full: after a NOSCRIPT error, a message sent by digest would arrive after the next one. */
const announceScript = `${PRELUDE}
redis.call('PUBLISH', ARGV[1], ARGV[2])
return list('')
`;

/** KEYS: members. ARGV: member, prefix of one that left. */
const leave = new Script(`${PRELUDE}
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[2] .. ARGV[1])
redis.call('PEXPIRE', KEYS[1], 60000)
return 1
`);

/** Connects a process to the others through Redis channels. */
export const redisBusLink = ({ source, name, id, timeoutMs }: RedisBusLinkOptions): BusLink => {
  const members = `${name}:members`;
  /** ioredis adds the prefix of a client to keys only, not to channels. */
  const all = (): string => `${source.redis.options.keyPrefix ?? ""}${name}:bus`;
  const channelOf = (member: string): string => `${all()}:${member}`;
  let subscriber: Subscriber | null = null;
  return {
    open({ onMessage, onSubscribed, onLost }: BusLinkEvents) {
      subscriber = new Subscriber({
        client: () => source.redis,
        channels: [all(), channelOf(id)],
        onMessage,
        timeoutMs,
        onSubscribed,
        onLost,
      });
      subscriber.open();
    },
    async renew(lifetimeMs) {
      return listOf(await renew.run(source.redis, [members], [id, lifetimeMs, SHOWN_MS]));
    },
    async announce(text) {
      return listOf(await source.redis.eval(announceScript, 1, members, all(), text));
    },
    async send(member, text) {
      await source.redis.publish(channelOf(member), text);
    },
    async leave() {
      await leave.run(source.redis, [members], [id, LEFT]);
    },
    close: () => subscriber?.close(),
  };
};

const listOf = (reply: unknown): MemberList => {
  const [uptime, cells] = reply as readonly [uptime: string, cells: readonly string[]];
  const rows = [];
  for (let at = 0; at + 1 < cells.length; at += 2) {
    const name = cells[at] ?? "";
    const hasLeft = name.startsWith(LEFT);
    rows.push({ id: hasLeft ? name.slice(LEFT.length) : name, leftMs: Number(cells[at + 1]), hasLeft });
  }
  // The server counts whole seconds of its clock, so the value may be up to one second too high.
  return { rows, uptimeMs: uptime === "" ? Infinity : Math.max(0, Number(uptime) - 1) * 1000 };
};
