import type { CacheEntry, CacheStore, SetOptions, StoredReply, StoreSize } from "./cache-store.ts";
import { LruList, type LruLink } from "./lru-list.ts";
import { TagIndex } from "./tag-index.ts";

/** Bounds of a memory store. */
export interface MemoryStoreOptions {
  /** Most entries; the one not used for longest makes room. @default 10000 */
  readonly maxEntries?: number;
  /** Most bytes of memory that all entries take together, keys, fields and tags included; the one not used for longest makes room. @default 67108864 (64 MiB) */
  readonly maxBytes?: number;
  /** Milliseconds that never go back. @default performance.now */
  readonly now?: () => number;
}

interface Held extends LruLink<Held> {
  readonly key: string;
  readonly entry: CacheEntry;
  readonly tags: readonly string[];
  readonly bytes: number;
  readonly endMs: number;
}

/** What an entry takes in memory besides its text and bytes: objects, links, places in maps; measured on V8. */
const entryBytes = 512;
/** The same of one string, and of a view on bytes. */
const stringBytes = 32;
const viewBytes = 256;

/** A store in this process's memory. Every call ends at once, in a time that does not depend on how much is stored. */
export const memoryStore = (options: MemoryStoreOptions = {}): MemoryStore => new MemoryStore(options);

/** What `memoryStore` makes. */
export class MemoryStore implements CacheStore {
  readonly shared = false;
  private readonly byKey = new Map<string, Held>();
  private readonly byUse = new LruList<Held>();
  private readonly byTag = new TagIndex<Held>();
  private readonly maxEntries: number;
  private readonly maxBytes: number;
  private readonly now: () => number;
  private bytes = 0;
  private evictions = 0;

  constructor({
    maxEntries = 10_000,
    maxBytes = 67_108_864,
    now = () => performance.now(),
  }: MemoryStoreOptions) {
    this.maxEntries = maxEntries;
    this.maxBytes = maxBytes;
    this.now = now;
  }

  get(key: string): CacheEntry | undefined {
    const held = this.living(key);
    if (held === undefined) return undefined;
    this.byUse.touch(held);
    return held.entry;
  }

  set(key: string, entry: CacheEntry, { holdMs, tags, replaces }: SetOptions): boolean {
    const present = this.living(key);
    if (replaces !== undefined && present?.entry.id !== replaces) return false;
    if (present !== undefined) this.remove(present);
    const bytes = sizeOf(key, entry, tags);
    if (bytes > this.maxBytes) return false;
    const held: Held = { key, entry, tags, bytes, endMs: this.now() + holdMs, newer: null, older: null };
    this.byKey.set(key, held);
    this.byUse.add(held);
    this.byTag.add(held);
    this.bytes += bytes;
    this.makeRoom();
    return true;
  }

  delete(key: string): boolean {
    const held = this.living(key);
    if (held === undefined) return false;
    this.remove(held);
    return true;
  }

  drop(tags: readonly string[]): number {
    let replies = 0;
    for (const tag of tags) {
      for (const held of this.byTag.under(tag)) {
        if (held.entry.kind === "reply" && held.endMs > this.now()) replies++;
        this.remove(held);
      }
    }
    return replies;
  }

  size(): StoreSize {
    return { entries: this.byKey.size, bytes: this.bytes, evictions: this.evictions };
  }

  private living(key: string): Held | undefined {
    const held = this.byKey.get(key);
    if (held === undefined || held.endMs > this.now()) return held;
    this.remove(held);
    return undefined;
  }

  private makeRoom(): void {
    while (this.byKey.size > this.maxEntries || this.bytes > this.maxBytes) {
      const { oldest } = this.byUse;
      if (oldest === null) return;
      this.remove(oldest);
      this.evictions++;
    }
  }

  private remove(held: Held): void {
    this.byKey.delete(held.key);
    this.byUse.remove(held);
    this.byTag.remove(held);
    this.bytes -= held.bytes;
  }
}

const sizeOf = (key: string, entry: CacheEntry, tags: readonly string[]): number => {
  const texts = entryBytes + sizeOfText(key) + sizeOfAll(tags);
  return entry.kind === "reply"
    ? texts + sizeOfAll(entry.fields) + sizeOfBody(entry)
    : texts + sizeOfAll(entry.names);
};

/** Text in ASCII takes a byte a character, any other up to two. */
const sizeOfBody = ({ body, bodyBytes }: StoredReply): number => {
  if (typeof body !== "string") return bodyBytes + (body === null ? 0 : viewBytes);
  return stringBytes + (body.length === bodyBytes ? bodyBytes : 2 * body.length);
};

const sizeOfText = (text: string): number => stringBytes + 2 * text.length;

const sizeOfAll = (texts: readonly string[]): number => {
  let bytes = 0;
  for (const text of texts) bytes += sizeOfText(text);
  return bytes;
};
