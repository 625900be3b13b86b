import { type Awaitable, FrameworkError } from "@framework/core";
import type { Json, SharedValues } from "@framework/core/feature";
import type { SessionStore, WriteOptions } from "./session-store.ts";

/** Options of `sharedSessionStore`. */
export interface SharedSessionStoreOptions {
  /** Maximum number of live sessions, and of ended sessions and of users; a server with its own limits, such as Redis, ignores it. @default 40000 */
  readonly maxSessions?: number;
}

/** Number of an ended key, greater than every version. */
const ENDED = 2 ** 52;
/** Written by `end` as the version that it claims; an entry is a list of one element. */
const endedMark: Json = [];
/** Marker of a replaced version, so that a delayed writer does not claim it again. */
const replacedMark: Json = null;
/** Lifetime of `replacedMark`: the maximum `storeTimeoutMs`, so that the marker outlasts every delayed writer. */
const REPLACED_MS = 60_000;

/**
 * Creates a session store in the state that all workers share, and with Redis all hosts.
 *
 * Each version of an entry has its own key, written only if it is absent, so exactly one of several writers of a version succeeds and its content
 * appears atomically. A number that only increases points to the current version; a writer that finds a later version, left by a process that died in
 * between, advances it. The number also marks ended keys, and is never evicted (with Redis: given `maxmemory-policy noeviction`). Ending a version claims the
 * next one, as a write does. A replaced version leaves a marker for a minute, so a claim holds even if other writers have completed and replaced it meanwhile.
 *
 * @throws CORE_SHARED_STATE_FULL from `write` and `raise` beyond `maxSessions`, from `end` when ended keys also fill the limit of live ones;
 * CORE_SHARED_STATE_UNAVAILABLE
 */
export const sharedSessionStore = (
  values: SharedValues,
  { maxSessions: maxKeys = 40_000 }: SharedSessionStoreOptions = {},
): SessionStore => {
  const numberOf = async (key: string): Promise<number> => {
    const value = await values.get(key);
    return typeof value === "number" ? value : 0;
  };
  const pointTo = async (key: string, version: number, ttlMs: number): Promise<boolean> =>
    await values.raise(versionKey(key), version, { ttlMs, group: "sessions:live", maxKeys });
  const markReplaced = (key: string, version: number): Awaitable<boolean> =>
    values.set(contentKey(key, version), replacedMark, { ttlMs: REPLACED_MS });
  /** Writes the version after the given one. Returns true for exactly one caller, and false for every caller if the key has another version. */
  const claim = async (key: string, content: Json, { version, ttlMs }: WriteOptions): Promise<boolean> => {
    if ((await numberOf(versionKey(key))) !== version) return false;
    const next = version + 1;
    const isClaimed = await values.set(contentKey(key, next), content, { ttlMs, ifAbsent: true });
    const isPointed = await pointTo(key, next, ttlMs); // also for another writer, which may have died before this step
    if (isClaimed && !isPointed && (await numberOf(versionKey(key))) > next) await markReplaced(key, next);
    return isClaimed;
  };
  /**
   * Moves a key from the live keys to the ended keys. If the ended keys are full, it continues to count as a live key: a new session is refused rather than a
   * logout.
   */
  const markEnded = async (key: string, ttlMs: number): Promise<boolean> => {
    const raise = (group: string): Awaitable<boolean> =>
      values.raise(versionKey(key), ENDED, { ttlMs, group, maxKeys, moves: true });
    try {
      return await raise("sessions:ended");
    } catch (error) {
      if (!FrameworkError.is(error) || error.code !== "CORE_SHARED_STATE_FULL") throw error;
      return raise("sessions:live");
    }
  };
  return {
    async read(key) {
      let version = await numberOf(versionKey(key));
      for (;;) {
        if (version === 0) return null;
        if (version >= ENDED) return "ended";
        // Only `claim` writes under this key.
        const written = (await values.get(contentKey(key, version))) as readonly Json[] | null | undefined;
        if (written !== undefined && written !== replacedMark) {
          const [content] = written;
          return content === undefined ? "ended" : { version, content };
        }
        const latest = await numberOf(versionKey(key));
        if (latest === version) return null; // expired or evicted
        version = latest; // a writer has replaced the version between the two reads; versions only increase, so the loop ends
      }
    },
    async write(key, content, options) {
      const { version } = options;
      if (!(await claim(key, [content], options))) return false;
      if (version > 0) await markReplaced(key, version);
      return true;
    },
    async end(key, ttlMs, version) {
      if (version !== undefined && !(await claim(key, endedMark, { version, ttlMs }))) return false;
      const latest = version ?? (await numberOf(versionKey(key)));
      const hasEnded = await markEnded(key, ttlMs);
      if (latest > 0 && latest < ENDED) await markReplaced(key, latest);
      return hasEnded;
    },
    number: (key) => numberOf(numberKey(key)),
    raise: (key, value, ttlMs) =>
      values.raise(numberKey(key), value, { ttlMs, group: "sessions:numbers", maxKeys: maxKeys * 2 }),
  };
};

const versionKey = (key: string): string => `sessions:version:${key}`;
const contentKey = (key: string, version: number): string => `sessions:content:${key}:${version}`;
const numberKey = (key: string): string => `sessions:number:${key}`;
