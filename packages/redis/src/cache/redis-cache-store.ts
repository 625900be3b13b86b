import { randomUUID } from "node:crypto";
import { FrameworkError } from "@framework/core";
import { keyHash } from "../client/key-hash.ts";
import { checkName, type RedisSource } from "../redis-source.ts";
import { wholeMs } from "../shared-state/counter-script.ts";
import { clearIndex, deleteEntry, dropIndex, readEntry, writeEntry } from "./cache-scripts.ts";
import { deserializeEntry, type StoredEntry, serializeEntry } from "./entry-format.ts";

/** Options of `set`: `SetOptions` of `@framework/cache`. */
export interface RedisSetOptions {
  /** Milliseconds that Redis keeps the entry. */
  readonly holdMs: number;
  /** Tags that drop it. */
  readonly tags: readonly string[];
  /** Stores only if the current entry has this id. */
  readonly replaces?: string;
}

/** A store for `enableCaching`: the port `CacheStore` of `@framework/cache`, whose entries are `Entry`. */
export interface RedisCacheStore {
  /** Other hosts use the same store. */
  readonly shared: true;
  /** Returns an entry, if stored. */
  get<Entry extends StoredEntry>(key: string): Promise<Entry | undefined>;
  /** Stores an entry. False if `replaces` does not match. */
  set(key: string, entry: StoredEntry, options: RedisSetOptions): Promise<boolean>;
  /** Removes an entry. Returns whether there was one. */
  delete(key: string): Promise<boolean>;
  /** Removes the entries with one of these tags; returns the number of removed replies. */
  drop(tags: readonly string[]): Promise<number>;
}

/** Options of `redisCacheStore`. */
export interface RedisCacheStoreOptions {
  /** Prefix of every key, without braces. Services with the same name share their replies. @default "cache" */
  readonly name?: string;
  /**
   * Number of parts of the cache on a cluster, 1 to 16,384, each in one hash slot: an entry and its tag indexes share one, and `invalidateCache` calls
   * each. Must be equal on all hosts. @default 16
   */
  readonly parts?: number;
}

/** Hash slots of a cluster. */
const MAX_PARTS = 16_384;

/** Entries removed by one call of a script. */
const BATCH = 500;

/**
 * Creates a cache store in Redis, shared by all hosts. Every entry expires, bodies are stored as bytes, and dropping a tag invalidates its replies atomically
 * (on a cluster, those of one hash slot).
 *
 * @throws REDIS_BAD_NAME, CORE_BAD_CONFIG for an invalid option
 * @example
 * app.enableCaching({ store: redisCacheStore(app) });
 */
export const redisCacheStore = (
  source: RedisSource,
  { name = "cache", parts = 16 }: RedisCacheStoreOptions = {},
): RedisCacheStore => {
  checkName(name);
  if (!(Number.isInteger(parts) && parts >= 1 && parts <= MAX_PARTS))
    throw new FrameworkError(
      "CORE_BAD_CONFIG",
      `redisCacheStore: parts must be a whole number from 1 to ${MAX_PARTS}, not ${parts}`,
    );
  const count = (): number => (source.redis.isCluster ? parts : 1);
  const prefixOf = (part: number): string => `${name}:{${name}-${part}}`;
  const keyOf = (key: string): { entry: string; at: string } => {
    const digest = keyHash(key);
    const at = prefixOf(partOf(digest) % count());
    return { entry: `${at}:e:${digest}`, at };
  };
  const clear = async (dropped: string): Promise<number> => {
    let replies = 0;
    for (let remaining = 1; remaining > 0;) {
      const [removed = 0, more = 0] = (await clearIndex.run(
        source.redis,
        [dropped],
        [BATCH],
      )) as readonly number[];
      replies += removed;
      remaining = more;
    }
    return replies;
  };
  const dropOne = async (at: string, tag: string): Promise<number> => {
    const index = `${at}:t:${keyHash(tag)}`;
    const dropped = `${at}:d:${randomUUID()}`;
    return (await dropIndex.run(source.redis, [index, dropped], [])) === 1 ? clear(dropped) : 0;
  };
  return {
    shared: true,
    async get<Entry extends StoredEntry>(key: string): Promise<Entry | undefined> {
      const found = await readEntry.runForBytes(source.redis, [keyOf(key).entry], []);
      if (!Array.isArray(found)) return undefined;
      const [metadata, body] = found as readonly Buffer[];
      return metadata === undefined || body === undefined
        ? undefined
        : deserializeEntry<Entry>(metadata, body);
    },
    async set(key, entry, { holdMs, tags, replaces = "" }) {
      const { entry: entryKey, at } = keyOf(key);
      const indexes = tags.map((tag) => `${at}:t:${keyHash(tag)}`);
      const { metadata, body } = serializeEntry(entry);
      const args = [entry.kind, entry.id, metadata, body, wholeMs(holdMs), replaces];
      return (await writeEntry.run(source.redis, [entryKey, ...indexes], args)) === 1;
    },
    async delete(key) {
      return (await deleteEntry.run(source.redis, [keyOf(key).entry], [])) === 1;
    },
    async drop(tags) {
      const prefixes = Array.from({ length: count() }, (_, part) => prefixOf(part));
      const dropped = await Promise.all(prefixes.flatMap((at) => tags.map((tag) => dropOne(at, tag))));
      return dropped.reduce((sum, replies) => sum + replies, 0);
    },
  };
};

/** Returns an evenly distributed number. */
const partOf = (digest: string): number => Buffer.from(digest, "base64url").readUInt32BE();
