import type { Awaitable } from "@framework/core";
import type { Json } from "@framework/core/feature";

/** An entry of a store. */
export interface StoredSession {
  /** Number of writes so far, at least 1. */
  readonly version: number;
  /** The content of the last write. */
  readonly content: Json;
}

/** Options of `SessionStore.write`. */
export interface WriteOptions {
  /** The version that was read, 0 for a new entry. */
  readonly version: number;
  /** Time to live of the entry, in milliseconds from now. */
  readonly ttlMs: number;
}

/**
 * Port for sessions. `@framework/sessions/testing` has its contract suite.
 *
 * Keys are strings of 1 to 100 printable ASCII characters; the feature never passes the id of a session, only its digest. Entries and numbers have
 * separate key spaces. An entry may be dropped after its time to live, and never before. A call that cannot determine its result must throw;
 * the request is then refused with 503.
 */
export interface SessionStore {
  /** Returns the entry of a key; `"ended"` after `end`, `null` if there is none. */
  read(key: string): Awaitable<StoredSession | "ended" | null>;
  /** Atomically replaces the entry if its version is the one given, and creates it for version 0 if there is none. Returns whether it was written. */
  write(key: string, content: Json, options: WriteOptions): Awaitable<boolean>;
  /**
   * Removes the entry of a key, if any; for at least `ttlMs` milliseconds the key reads as ended and no write succeeds. With `version`, atomically and only
   * if the entry has that version. Returns whether this call ended the key: `false` if it had ended before (its remaining time is unchanged), or has another
   * version.
   */
  end(key: string, ttlMs: number, version?: number): Awaitable<boolean>;
  /** Returns a number that never decreases; 0 when absent. */
  number(key: string): Awaitable<number>;
  /**
   * Atomically stores a whole number from 1 to 2^53 - 1 if it is greater than the one stored. The key is kept for at least `ttlMs`, and for the
   * remainder of an earlier, longer time. Returns whether it was stored.
   */
  raise(key: string, value: number, ttlMs: number): Awaitable<boolean>;
}
