import { randomUUID } from "node:crypto";
import { keyHash } from "../client/key-hash.ts";
import { checkName, type RedisSource } from "../redis-source.ts";
import { wholeMs } from "../shared-state/counter-script.ts";
import { clearIndex, deleteEntry, dropIndex, readEntry, writeEntry } from "./cache-scripts.ts";
import { readEntryOf, type StoredEntry, writtenEntry } from "./entry-format.ts";

/** How an entry is stored: `SetOptions` of `@framework/cache`. */
export interface RedisSetOptions {
  readonly holdMs: number;
  readonly tags: readonly string[];
  readonly replaces?: string;
}

/** A store for `enableCaching`: the port `CacheStore` of `@framework/cache`, whose entries are `Entry`. */
export interface RedisCacheStore {
  readonly shared: true;
  get<Entry extends StoredEntry>(key: string): Promise<Entry | undefined>;
  set(key: string, entry: StoredEntry, options: RedisSetOptions): Promise<boolean>;
  delete(key: string): Promise<boolean>;
  drop(tags: readonly string[]): Promise<number>;
}

/** Options of `redisCacheStore`. */
export interface RedisCacheStoreOptions {
  /** Put before every key, without braces; services with one name share their replies. @default "cache" */
  readonly name?: string;
  /**
   * Parts of the cache on a cluster: an entry and the indexes of its tags are on one node, whose share is a part; `invalidateCache` asks each. The same
   * in every host. @default 16
   */
  readonly parts?: number;
}

/** Entries removed in one step of the server. */
const STEP = 500;

/**
 * Creates a cache store in Redis, shared by all hosts. Every entry expires; bodies are stored as bytes; dropping a tag hides its replies atomically.
 *
 * @example
 * app.enableCaching({ store: redisCacheStore(app) });
 */
export const redisCacheStore = (
  source: RedisSource,
  { name = "cache", parts = 16 }: RedisCacheStoreOptions = {},
): RedisCacheStore => {
  checkName(name);
  const count = (): number => (source.redis.isCluster ? parts : 1);
  const place = (part: number): string => `${name}:{${name}-${part}}`;
  const keyOf = (key: string): { entry: string; at: string } => {
    const digest = keyHash(key);
    const at = place(partOf(digest) % count());
    return { entry: `${at}:e:${digest}`, at };
  };
  const clear = async (dropped: string): Promise<number> => {
    let replies = 0;
    for (let left = 1; left > 0;) {
      const [removed = 0, more = 0] = (await clearIndex.run(
        source.redis,
        [dropped],
        [STEP],
      )) as readonly number[];
      replies += removed;
      left = more;
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
      const found = await readEntry.bytes(source.redis, [keyOf(key).entry], []);
      if (!Array.isArray(found)) return undefined;
      const [description, body] = found as readonly Buffer[];
      return description === undefined || body === undefined
        ? undefined
        : readEntryOf<Entry>(description, body);
    },
    async set(key, entry, { holdMs, tags, replaces = "" }) {
      const { entry: entryKey, at } = keyOf(key);
      const indexes = tags.map((tag) => `${at}:t:${keyHash(tag)}`);
      const { description, body } = writtenEntry(entry);
      const args = [entry.kind, entry.id, description, body, wholeMs(holdMs), replaces];
      return (await writeEntry.run(source.redis, [entryKey, ...indexes], args)) === 1;
    },
    async delete(key) {
      return (await deleteEntry.run(source.redis, [keyOf(key).entry], [])) === 1;
    },
    async drop(tags) {
      const places = Array.from({ length: count() }, (_, part) => place(part));
      const dropped = await Promise.all(places.flatMap((at) => tags.map((tag) => dropOne(at, tag))));
      return dropped.reduce((sum, replies) => sum + replies, 0);
    },
  };
};

/** A number that spreads evenly. */
const partOf = (digest: string): number =>
  digest.charCodeAt(0) * 31 + digest.charCodeAt(1) * 7 + digest.charCodeAt(2);
