import type { Awaitable } from "@framework/core";

/** A stored reply. Plain data: an adapter may write it as JSON, with the body's bytes beside it. */
export interface StoredReply {
  readonly kind: "reply";
  /** Names this version of the entry, in every process: `SetOptions.replaces` compares with it. */
  readonly id: string;
  readonly status: number;
  /** Fields as they are sent again: name, value, name, value … in lower case; without age, framing and the fields of the connection. */
  readonly fields: readonly string[];
  readonly body: string | Uint8Array | null;
  /** Bytes of the body. */
  readonly bodyBytes: number;
  /** When its age was 0, in milliseconds of the cache's clock. */
  readonly bornMs: number;
  /** Age in milliseconds up to which it is fresh (RFC 9111 4.2.1). */
  readonly freshMs: number;
  /** Milliseconds beyond, in which it may be served while it is refreshed (RFC 5861 3). */
  readonly staleMs: number;
  /** Milliseconds beyond, in which it may be served when the handler fails (RFC 5861 4). */
  readonly errorMs: number;
  /** Whether every use asks the handler first (`no-cache`). */
  readonly validates: boolean;
  /** Whether requests with an identity may be answered from it. */
  readonly shareable: boolean;
  /** Names it is dropped by. */
  readonly tags: readonly string[];
}

/** Which request fields the replies under a key depend on: they are stored under keys that hold the values of these fields. */
export interface VaryingReplies {
  readonly kind: "varies";
  readonly id: string;
  /** Lower-case names, sorted. */
  readonly names: readonly string[];
  /** Until when it is held, in milliseconds of the cache's clock: as long as any of the replies. */
  readonly untilMs: number;
}

/** What a store holds under a key. */
export type CacheEntry = StoredReply | VaryingReplies;

/** How an entry is stored. */
export interface SetOptions {
  /** Milliseconds after which the store may forget the entry, and must not return it. */
  readonly holdMs: number;
  /** Names that `drop` finds the entry by. */
  readonly tags: readonly string[];
  /** Stores only while the key holds the entry with this id, in one atomic step. */
  readonly replaces?: string;
}

/** How full a store is. */
export interface StoreSize {
  readonly entries: number;
  readonly bytes: number;
  /** Entries that made room for others since the process began. */
  readonly evictions: number;
}

/**
 * Where replies are kept: in the memory of each worker (`memoryStore`), or outside, for all of them.
 *
 * A store may forget anything at any time. A call that fails or is late counts as a miss; it never reaches a client. Adapters pass `cacheStoreContract`
 * of `@framework/cache/testing`.
 */
export interface CacheStore {
  /** Whether all workers see one content; else each has its own, and `drop` is called in every one of them. */
  readonly shared: boolean;
  get(key: string): Awaitable<CacheEntry | undefined>;
  /** Puts an entry under a key, in the place of the one that is there. Tells whether it was stored. */
  set(key: string, entry: CacheEntry, options: SetOptions): Awaitable<boolean>;
  /** Removes the entry of a key. Tells whether there was one. */
  delete(key: string): Awaitable<boolean>;
  /** Removes every entry that carries one of the tags. Resolves with the number of replies removed, each counted once. */
  drop(tags: readonly string[]): Awaitable<number>;
  /** For metrics; absent where it is not known. */
  size?(): StoreSize;
}
