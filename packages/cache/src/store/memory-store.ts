import {
  checked,
  type Clock,
  type ConfigRecord,
  configRecord,
  integer,
  systemClock,
} from "@framework/core/feature";
import type { CacheEntry, CacheStore, SetOptions, StoredReply, StoreSize } from "./cache-store.ts";
import { LruList, type LruLink } from "./lru-list.ts";
import { TagIndex } from "./tag-index.ts";

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** Maximum number of entries; the least recently used is evicted. @default 10000 */
  readonly maxEntries?: number;
  /** Maximum memory of all entries in bytes, including keys, fields and tags; the least recently used is evicted. @default 67108864 (64 MiB) */
  readonly maxBytes?: number;
  /** The clock, for tests. @default the system clock */
  readonly clock?: Pick<Clock, "now">;
}

interface Item extends LruLink<Item> {
  readonly key: string;
  readonly entry: CacheEntry;
  readonly tags: readonly string[];
  readonly bytes: number;
  readonly endMs: number;
}

/** Memory overhead of an entry: objects, links and map slots; measured on V8. */
const ENTRY_BYTES = 640;
/** Overhead of a string, and of a byte array. */
const STRING_BYTES = 32;
const VIEW_BYTES = 256;

const hasNow = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "now" in value && typeof value.now === "function";

/** Validates the options: with NaN, such as from an unset variable, the store would have no bound. */
const optionRules: ConfigRecord<Required<MemoryStoreOptions>> = configRecord("MemoryStoreOptions", {
  maxEntries: integer(10_000, { min: 1 }),
  maxBytes: integer(67_108_864, { min: 1024 }),
  clock: checked<Pick<Clock, "now">>(systemClock, "a clock", hasNow),
});

/**
 * Creates a store in the memory of this process. Calls are synchronous; all except `drop` take amortized constant time.
 *
 * @throws CORE_BAD_CONFIG
 */
export const memoryStore = (options: MemoryStoreOptions = {}): MemoryStore =>
  new MemoryStore(optionRules.of(options));

/** A bounded LRU store in memory; created with `memoryStore`. */
export class MemoryStore implements CacheStore {
  readonly shared = false;
  private readonly byKey = new Map<string, Item>();
  private readonly byUse = new LruList<Item>();
  private readonly byTag = new TagIndex<Item>();
  private readonly maxEntries: number;
  private readonly maxBytes: number;
  private readonly clock: Pick<Clock, "now">;
  private bytes = 0;
  private evictions = 0;

  constructor({ maxEntries, maxBytes, clock }: Required<MemoryStoreOptions>) {
    this.maxEntries = maxEntries;
    this.maxBytes = maxBytes;
    this.clock = clock;
  }

  get(key: string): CacheEntry | undefined {
    const item = this.current(key);
    if (item === undefined) return undefined;
    this.byUse.touch(item);
    return item.entry;
  }

  set(key: string, entry: CacheEntry, { holdMs, tags, replaces }: SetOptions): boolean {
    const present = this.current(key);
    if (replaces !== undefined && present?.entry.id !== replaces) return false;
    if (present !== undefined) this.remove(present);
    const bytes = sizeOf(key, entry, tags);
    if (bytes > this.maxBytes) return false;
    const item: Item = {
      key,
      entry,
      tags,
      bytes,
      endMs: this.clock.now() + holdMs,
      newer: null,
      older: null,
    };
    this.byKey.set(key, item);
    this.byUse.add(item);
    this.byTag.add(item);
    this.bytes += bytes;
    this.evict();
    return true;
  }

  delete(key: string): boolean {
    const item = this.current(key);
    if (item === undefined) return false;
    this.remove(item);
    return true;
  }

  drop(tags: readonly string[]): number {
    let replies = 0;
    for (const tag of tags) {
      for (const item of this.byTag.withTag(tag)) {
        if (item.entry.kind === "reply" && item.endMs > this.clock.now()) replies++;
        this.remove(item);
      }
    }
    return replies;
  }

  size(): StoreSize {
    return { entries: this.byKey.size, bytes: this.bytes, evictions: this.evictions };
  }

  private current(key: string): Item | undefined {
    const item = this.byKey.get(key);
    if (item === undefined || item.endMs > this.clock.now()) return item;
    this.remove(item);
    return undefined;
  }

  private evict(): void {
    while (this.byKey.size > this.maxEntries || this.bytes > this.maxBytes) {
      const { oldest } = this.byUse;
      if (oldest === null) return;
      this.remove(oldest);
      this.evictions++;
    }
  }

  private remove(item: Item): void {
    this.byKey.delete(item.key);
    this.byUse.remove(item);
    this.byTag.remove(item);
    this.bytes -= item.bytes;
  }
}

const sizeOf = (key: string, entry: CacheEntry, tags: readonly string[]): number => {
  const texts = ENTRY_BYTES + sizeOfText(key) + sizeOfAll(tags);
  return entry.kind === "reply"
    ? texts + sizeOfAll(entry.fields) + sizeOfBody(entry)
    : texts + sizeOfAll(entry.names);
};

/** V8 stores Latin-1 text with one byte per character, other text with two. */
const sizeOfBody = ({ body, bodyBytes }: StoredReply): number => {
  if (typeof body !== "string") return bodyBytes + (body === null ? 0 : VIEW_BYTES);
  return STRING_BYTES + (body.length === bodyBytes ? bodyBytes : 2 * body.length);
};

const sizeOfText = (text: string): number => STRING_BYTES + 2 * text.length;

const sizeOfAll = (texts: readonly string[]): number => {
  let bytes = 0;
  for (const text of texts) bytes += sizeOfText(text);
  return bytes;
};
