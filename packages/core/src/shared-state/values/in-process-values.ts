import { FrameworkError } from "../../errors/framework-error.ts";
import type { Logger } from "../../log/logger.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { checkAddition, checkKey, checkPublication, checkRaise, checkTtl, toText } from "./state-bounds.ts";
import { type Entry, ExpiringMap } from "./expiring-map.ts";
import type { AddResult, AddOptions, Json, RaiseOptions, SharedValues } from "./shared-values.ts";
import { Subscriptions } from "./subscriptions.ts";
import { withTimeout } from "./with-timeout.ts";

/** Bounds and clock of values in this process. */
export interface InProcessValuesOptions {
  /** Maximum number of live keys, without raised keys; the key nearest to its expiry is evicted. @default 100000 */
  readonly maxKeys?: number;
  /** Maximum number of characters of all keys and values together; again the keys nearest to their expiry are evicted. @default 67108864 */
  readonly maxCharacters?: number;
  /** Milliseconds after which a busy subscriber counts as done; `Infinity` for no limit. @default 1000 */
  readonly timeoutMs?: number;
  /** Maximum number of subscriptions. @default 100000 */
  readonly maxSubscriptions?: number;
  /** Clock that determines expiry. @default the runtime's clock */
  readonly clock?: Clock;
  /** Logs errors of subscribers. @default console */
  readonly log?: Pick<Logger, "error">;
}

/** Creates the values of a single-process service. Calls return synchronously, except `publish`. */
export const inProcessValues = ({
  maxKeys = 100_000,
  maxCharacters = 67_108_864,
  timeoutMs = 1000,
  maxSubscriptions,
  clock = systemClock,
  log = console,
}: InProcessValuesOptions = {}): SharedValues => {
  const entries = new ExpiringMap({ maxKeys, maxCharacters });
  const subscriptions = new Subscriptions({ limitMs: timeoutMs, maxSize: maxSubscriptions, clock, log });
  return {
    isPersistent: false,
    add(key, amount, options) {
      checkAddition(key, amount, options);
      return addTo(entries, key, amount, options, clock.now());
    },
    raise(key, value, options) {
      checkRaise(key, value, options);
      return raiseTo(entries, key, value, options, clock.now());
    },
    get(key) {
      checkKey(key);
      const entry = entries.get(key, clock.now());
      if (entry === undefined) return undefined;
      return typeof entry.value === "number" ? entry.value : (JSON.parse(entry.value) as Json);
    },
    set(key, value, { ttlMs, ifAbsent = false }) {
      checkKey(key);
      checkTtl(ttlMs);
      const text = toText(value);
      const time = clock.now();
      if (ifAbsent && entries.get(key, time) !== undefined) return false;
      entries.set(key, typeof value === "number" ? Number(text) : text, time + ttlMs, time);
      return true;
    },
    delete(key) {
      checkKey(key);
      return entries.delete(key, clock.now());
    },
    async publish(channel, message, options = {}) {
      checkPublication(channel, options);
      const text = toText(message);
      return withTimeout(
        subscriptions.emit(channel, text).then(() => true),
        options.waitMs,
        clock,
        () => false,
      );
    },
    subscribe(channel, listener) {
      checkKey(channel, "channel");
      const remove = subscriptions.add(channel, listener);
      return () => void remove();
    },
    isConnected: () => true,
  };
};

const addTo = (
  entries: ExpiringMap,
  key: string,
  amount: number,
  { ttlMs, max = Number.MAX_SAFE_INTEGER }: AddOptions,
  time: number,
): AddResult => {
  const entry = entries.get(key, time);
  const before = entry === undefined ? 0 : countOf(entry);
  const ceiling = Math.min(max, Number.MAX_SAFE_INTEGER);
  const room = Math.max(0, ceiling - before);
  const granted = amount > 0 ? Math.min(amount, room) : 0 - Math.min(-amount, Math.max(0, before));
  // If the whole room is granted, the sum is the ceiling itself, without the rounding error of an addition.
  const value = granted > 0 && granted === room ? ceiling : before + granted;
  if (entry !== undefined) entries.setNumber(key, value);
  else if (granted !== 0) entries.set(key, value, time + ttlMs, time);
  return { value, granted, expiresInMs: entry === undefined ? ttlMs : entry.expiresAt - time };
};

const raiseTo = (
  entries: ExpiringMap,
  key: string,
  value: number,
  { ttlMs, ...group }: RaiseOptions,
  time: number,
): boolean => {
  const entry = entries.get(key, time);
  if (entry !== undefined && countOf(entry) >= value) return false;
  const expiresAt = Math.max(entry?.expiresAt ?? 0, time + ttlMs);
  if (entries.pin(key, value, expiresAt, time, group)) return true;
  throw groupFull(group.group);
};

const groupFull = (group: string): FrameworkError =>
  new FrameworkError(
    "CORE_SHARED_STATE_FULL",
    `the shared state has no room for another key of "${group}"; raise its limit or use a separate store`,
  );

const countOf = ({ key, value }: Entry): number => {
  if (typeof value === "number") return value;
  throw new FrameworkError(
    "CORE_SHARED_STATE_NOT_A_COUNTER",
    `"${key}" holds a value that is not a number; counters and values need different keys`,
  );
};
