import type { Awaitable } from "@framework/core";

/** A stored reply. Plain data: an adapter may serialise it as JSON, with the body as separate bytes. */
export interface StoredReply {
  /** Distinguishes it from `VaryingReplies`. */
  readonly kind: "reply";
  /** Identifies this version of the entry across processes, for `SetOptions.replaces`. */
  readonly id: string;
  /** Status of the reply. */
  readonly status: number;
  /** Header fields as alternating lower-case names and values; without `Age`, framing and hop-by-hop fields, and fields listed in `Connection`. */
  readonly fields: readonly string[];
  /** The whole body; `null` if there is none. */
  readonly body: string | Uint8Array | null;
  /** Bytes of the body. */
  readonly bodyBytes: number;
  /** Time at which its age was 0, in milliseconds of the cache's clock. */
  readonly bornMs: number;
  /** Freshness lifetime in milliseconds (RFC 9111 4.2.1). */
  readonly freshMs: number;
  /** Milliseconds after `freshMs` in which it may be served while it is refreshed (RFC 5861 3). */
  readonly staleMs: number;
  /** Milliseconds after `freshMs` in which it may be served if the handler fails (RFC 5861 4). */
  readonly errorMs: number;
  /** Whether every use requires revalidation (`no-cache`). */
  readonly validates: boolean;
  /** Whether requests with an identity may get it. */
  readonly shareable: boolean;
  /** Whether the handler sent no explicit freshness, so the app's setting for clients applies. */
  readonly isImplicit: boolean;
  /** `X-Cache-TTL` of the handler in seconds, which a 304 does not repeat. */
  readonly ttlSecs?: number;
  /** Whether the cache created the `ETag`, which the handler does not know. */
  readonly hasOwnTag: boolean;
  /** Tags for `drop`. */
  readonly tags: readonly string[];
  /** Number of the first `tags` that came with the body; the rest came with the last 304, and the next 304 replaces them. Absent before the first 304. */
  readonly bodyTags?: number;
}

/** Names of the request fields by which the replies of a key vary. The replies are stored under keys that include the values of these fields. */
export interface VaryingReplies {
  /** Distinguishes it from `StoredReply`. */
  readonly kind: "varies";
  /** Identifies this version of the list. */
  readonly id: string;
  /** Lower-case names, sorted. */
  readonly names: readonly string[];
  /** Latest expiry of the replies, in milliseconds of the cache's clock. */
  readonly untilMs: number;
}

/** An entry of a store. */
export type CacheEntry = StoredReply | VaryingReplies;

/** Options of `CacheStore.set`. */
export interface SetOptions {
  /** Milliseconds until the entry expires; the store must not return it afterwards. */
  readonly holdMs: number;
  /** Tags under which `drop` finds the entry. */
  readonly tags: readonly string[];
  /** Compare-and-set: stores only if the key's current entry has this id, atomically. */
  readonly replaces?: string;
}

/** Size of a store. */
export interface StoreSize {
  /** Number of stored entries. */
  readonly entries: number;
  /** Bytes of all stored entries. */
  readonly bytes: number;
  /** Entries evicted since the process started. */
  readonly evictions: number;
}

/**
 * Port for the storage of replies: in the memory of each worker (`memoryStore`), or shared by all workers.
 *
 * A store may evict any entry at any time. A `get` that fails or times out counts as a miss, and a failed `set` or `delete` is only counted and logged; the
 * failure of a `drop` rejects `invalidateCache`. Adapters pass `cacheStoreContract` of `@framework/cache/testing`.
 */
export interface CacheStore {
  /** Whether all workers share the entries; otherwise `drop` is called in every worker. */
  readonly shared: boolean;
  /** Returns the entry of a key, `undefined` if it is absent or expired. */
  get(key: string): Awaitable<CacheEntry | undefined>;
  /** Stores an entry, replacing any present one. Returns whether it was stored. */
  set(key: string, entry: CacheEntry, options: SetOptions): Awaitable<boolean>;
  /** Removes the entry of a key. Returns whether there was one. */
  delete(key: string): Awaitable<boolean>;
  /** Removes every entry with one of the tags. Returns the number of removed replies, each counted once. */
  drop(tags: readonly string[]): Awaitable<number>;
  /** Returns the size for metrics; absent if unknown. */
  size?(): StoreSize;
}
