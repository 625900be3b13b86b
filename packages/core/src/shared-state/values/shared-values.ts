import type { Awaitable } from "../../middleware/middleware.ts";

/** A value that JSON can express, and so can cross to another process. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The result of a bounded addition. */
export interface Added {
  /** The counter after the addition. */
  readonly value: number;
  /** The part of the amount that was added: all of it, or as much as fitted below `max`. */
  readonly granted: number;
  /** Milliseconds until the counter expires. */
  readonly expiresInMs: number;
}

/** How an addition treats its counter. */
export interface AddOptions {
  /** Life of a counter that this call creates, in milliseconds; an existing counter keeps its own. */
  readonly ttlMs: number;
  /** Ceiling: only as much is granted as fits below it. @default Number.MAX_SAFE_INTEGER */
  readonly max?: number;
}

/** How a value is stored. */
export interface SetOptions {
  /** Life of the value in milliseconds. */
  readonly ttlMs: number;
  /** Stores the value only where there is none. @default false */
  readonly ifAbsent?: boolean;
}

/**
 * Values and counters with expiry, and messages, shared by all workers.
 *
 * Values are at most 64 KiB as JSON. There are at most 100,000 live keys; the key nearest to its expiry makes room. Time is monotonic. Counters and
 * values share one space of keys: a counter is a number, which `get` reads and `set` replaces.
 */
export interface SharedValues {
  /**
   * Adds `amount` to a counter, which begins at 0; a negative amount gives back, never below 0, and 0 only reads.
   *
   * A call that grants nothing creates no counter; a counter that is back at 0 lives on until it expires.
   *
   * @throws CORE_SHARED_STATE_NOT_A_COUNTER when the key holds a value that is not a number
   */
  add(key: string, amount: number, options: AddOptions): Awaitable<Added>;
  /** The value stored under a key, `undefined` when absent or expired. */
  get(key: string): Awaitable<Json | undefined>;
  /** Stores a value; resolves to whether it was stored. */
  set(key: string, value: Json, options: SetOptions): Awaitable<boolean>;
  /** Removes a value or counter; resolves to whether there was one. */
  delete(key: string): Awaitable<boolean>;
  /**
   * Sends a message to every subscriber in every worker, this one included; each gets a copy of its own.
   *
   * Resolves when all have run. A subscriber that takes longer than 1 s counts as done; one that fails is logged.
   */
  publish(channel: string, message: Json): Promise<void>;
  /** Calls `listener` with every message of a channel until the returned function is called. */
  subscribe(channel: string, listener: (message: Json) => Awaitable<void>): () => void;
}
