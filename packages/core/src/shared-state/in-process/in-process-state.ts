import { FrameworkError } from "../../errors/framework-error.ts";
import type { Logger } from "../../log/logger.ts";
import { type Entry, ExpiringMap } from "./expiring-map.ts";
import { PermitTable } from "../permits/permit-table.ts";
import { checkTallies, TallyTable } from "./tally-table.ts";
import { type Schedule, systemSchedule } from "./schedule.ts";
import type { Added, AddOptions, Json, SharedState } from "../shared-state.ts";
import { checkPermits } from "../permits/permit-bounds.ts";
import { checkAddition, checkKey, checkTtl, toText } from "../state-bounds.ts";
import { Subscriptions } from "./subscriptions.ts";

/** Bounds and clock of the in-process state. */
export interface InProcessStateOptions {
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly now?: () => number;
  /** Most live keys; the one nearest to its expiry makes room. As many again for permits, where the one not asked for longest does. @default 100000 */
  readonly maxKeys?: number;
  /** Most characters of all keys and values together; the same key makes room. @default 67108864 */
  readonly maxCharacters?: number;
  /** Most moments and amounts that all permits together keep; the same key makes room. @default 4194304 */
  readonly maxPermitNumbers?: number;
  /** Most characters of all names of totals, with 8 for each total; names beyond are refused. @default 16777216 */
  readonly maxTotals?: number;
  /** Milliseconds after which a subscriber that is still busy counts as done. @default 1000 */
  readonly timeoutMs?: number;
  /** Timers. @default the runtime's, which do not keep the process alive */
  readonly schedule?: Schedule;
  /** Where failures of subscribers go. @default console */
  readonly log?: Pick<Logger, "error">;
}

/** Shared state of a service that runs in one process; also what the primary process serves to its workers. Never waits, except `publish`. */
export const inProcessState = ({
  now = () => performance.now(),
  maxKeys = 100_000,
  maxCharacters = 67_108_864,
  maxPermitNumbers = 4_194_304,
  maxTotals = 16_777_216,
  timeoutMs = 1000,
  schedule = systemSchedule,
  log = console,
}: InProcessStateOptions = {}): SharedState => {
  const entries = new ExpiringMap({ maxKeys, maxCharacters });
  const permits = new PermitTable({ maxKeys, maxNumbers: maxPermitNumbers });
  const tallies = new TallyTable(maxTotals);
  const subscriptions = new Subscriptions({ limitMs: timeoutMs, schedule, log });
  return {
    add(key, amount, options) {
      checkAddition(key, amount, options);
      return addTo(entries, key, amount, options, now());
    },
    get(key) {
      checkKey(key);
      const entry = entries.get(key, now());
      if (entry === undefined) return undefined;
      return typeof entry.value === "number" ? entry.value : (JSON.parse(entry.value) as Json);
    },
    set(key, value, { ttlMs, ifAbsent = false }) {
      checkKey(key);
      checkTtl(ttlMs);
      const text = toText(value);
      const time = now();
      if (ifAbsent && entries.get(key, time) !== undefined) return false;
      entries.set(key, typeof value === "number" ? Number(text) : text, time + ttlMs, time);
      return true;
    },
    take(key, rule, ask) {
      checkPermits(key, rule, ask);
      return permits.take(key, rule, ask, now());
    },
    tally(key, amounts) {
      checkTallies(key, amounts);
      tallies.add(key, amounts);
    },
    totals(key) {
      checkKey(key);
      return tallies.read(key);
    },
    delete(key) {
      checkKey(key);
      return entries.delete(key, now());
    },
    async publish(channel, message) {
      checkKey(channel, "channel");
      await subscriptions.emit(channel, toText(message));
    },
    subscribe(channel, listener) {
      checkKey(channel, "channel");
      const remove = subscriptions.add(channel, listener);
      return () => void remove();
    },
  };
};

const addTo = (
  entries: ExpiringMap,
  key: string,
  amount: number,
  { ttlMs, max = Number.MAX_SAFE_INTEGER }: AddOptions,
  time: number,
): Added => {
  const entry = entries.get(key, time);
  const before = entry === undefined ? 0 : countOf(entry);
  const ceiling = Math.min(max, Number.MAX_SAFE_INTEGER);
  const room = Math.max(0, ceiling - before);
  const granted = amount > 0 ? Math.min(amount, room) : 0 - Math.min(-amount, Math.max(0, before));
  // Where all the room is taken the sum is the ceiling itself, whatever binary fractions make of the addition.
  const value = granted > 0 && granted === room ? ceiling : before + granted;
  if (entry !== undefined) entries.count(key, value);
  else if (granted !== 0) entries.set(key, value, time + ttlMs, time);
  return { value, granted, expiresInMs: entry === undefined ? ttlMs : entry.expiresAt - time };
};

const countOf = ({ key, value }: Entry): number => {
  if (typeof value === "number") return value;
  throw new FrameworkError(
    "CORE_SHARED_STATE_NOT_A_COUNTER",
    `"${key}" holds a value that is not a number; counters and values need keys of their own`,
  );
};
