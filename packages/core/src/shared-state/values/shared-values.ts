import type { Awaitable } from "../../middleware/middleware.ts";

/** A JSON value, which can be sent to another process. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The result of a bounded addition. */
export interface Added {
  /** The counter after the addition. */
  readonly value: number;
  /** The added part of the amount: all of it, or the part that fits below `max`. */
  readonly granted: number;
  /** Milliseconds until the counter expires. */
  readonly expiresInMs: number;
}

/** Options of `add`. */
export interface AddOptions {
  /** Time to live of a counter that this call creates, in milliseconds; an existing counter keeps its own. */
  readonly ttlMs: number;
  /** Ceiling of the counter: the addition is granted up to it. @default Number.MAX_SAFE_INTEGER */
  readonly max?: number;
}

/** Options of `set`. */
export interface SetOptions {
  /** Time to live of the value in milliseconds. */
  readonly ttlMs: number;
  /** Stores the value only if the key is absent. @default false */
  readonly ifAbsent?: boolean;
}

/**
 * Values and counters with expiry, and messages, shared by all workers.
 *
 * Values are at most 64 KiB as JSON. There are at most 100,000 live keys; the key nearest to its expiry is evicted. Time is monotonic. Counters and
 * values share one key space: a counter is a number, which `get` reads and `set` replaces.
 */
export interface SharedValues {
  /**
   * Adds `amount` to a counter, which begins at 0. A negative amount subtracts, never below 0; 0 only reads.
   *
   * A call that grants nothing creates no counter; a counter that returns to 0 exists until it expires.
   *
   * @throws CORE_SHARED_STATE_NOT_A_COUNTER when the key holds a value that is not a number
   */
  add(key: string, amount: number, options: AddOptions): Awaitable<Added>;
  /** Returns the value of a key, `undefined` when absent or expired. */
  get(key: string): Awaitable<Json | undefined>;
  /** Stores a value. Returns whether it was stored. */
  set(key: string, value: Json, options: SetOptions): Awaitable<boolean>;
  /** Removes a value or counter. Returns whether there was one. */
  delete(key: string): Awaitable<boolean>;
  /**
   * Sends a message to every subscriber in every worker, including this one; each gets its own copy.
   *
   * Resolves when all have run. A subscriber that takes longer than 1 s counts as done; its error is logged.
   */
  publish(channel: string, message: Json): Promise<void>;
  /** Calls `listener` with every message of a channel. Returns a function that unsubscribes. */
  subscribe(channel: string, listener: (message: Json) => Awaitable<void>): () => void;
}
