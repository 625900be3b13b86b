import type { Awaitable } from "../../middleware/middleware.ts";

/** A JSON value, which can be sent to another process. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The result of a bounded addition. */
export interface AddResult {
  /** The counter after the addition. */
  readonly value: number;
  /** The added part of the amount, limited by `max`. */
  readonly granted: number;
  /** Milliseconds until the counter expires. */
  readonly expiresInMs: number;
}

/** Options of `add`. */
export interface AddOptions {
  /** Time to live of a counter that this call creates, in milliseconds; an existing counter keeps its own. */
  readonly ttlMs: number;
  /** Maximum of the counter: a larger addition is granted in part. @default Number.MAX_SAFE_INTEGER */
  readonly max?: number;
}

/** Options of `set`. */
export interface SetOptions {
  /** Time to live of the value in milliseconds. */
  readonly ttlMs: number;
  /** Stores the value only if the key is absent. @default false */
  readonly ifAbsent?: boolean;
}

/** Options of `raise`. */
export interface RaiseOptions {
  /** Minimum time to live of the key from now on, in milliseconds; a later expiry is kept. */
  readonly ttlMs: number;
  /** Name of a group of keys that share a bound. A live key stays in the group that created it, unless it `moves`. */
  readonly group: string;
  /** Whether a live key moves from its group to this one, if that has room. @default false */
  readonly moves?: boolean;
  /** Maximum number of live keys in the group. A server with its own bounds, such as Redis, ignores it. */
  readonly maxKeys: number;
}

/** Options of `publish`. */
export interface PublishOptions {
  /** Maximum wait for the other workers in milliseconds, 0 or more; `Infinity` for no limit. @default until all have run or exited */
  readonly waitMs?: number;
}

/** Options of `subscribe`. */
export interface SubscribeOptions {
  /** Called when a lost connection is restored, before `isConnected` is true again: this subscriber may have missed messages. */
  readonly onMissed?: () => void;
}

/**
 * Values and counters with expiry, and messages, shared by all workers.
 *
 * Values are at most 64 KiB as JSON. By default at most 100,000 keys are live besides raised ones; the key nearest to its expiry is evicted, but never a raised key. Time is
 * monotonic. Counters and values share one key space: a counter is a number, which `get` reads and `set` replaces. Invalid arguments fail with
 * CORE_SHARED_STATE_BAD_KEY, CORE_SHARED_STATE_BAD_VALUE or CORE_SHARED_STATE_BAD_OPTION.
 */
export interface SharedValues {
  /** Whether the values outlive the service. */
  readonly isPersistent: boolean;
  /**
   * Adds `amount` to a counter, which begins at 0. A negative amount subtracts, never below 0; 0 only reads.
   *
   * A call that grants nothing creates no counter; a counter that returns to 0 exists until it expires.
   *
   * @throws CORE_SHARED_STATE_NOT_A_COUNTER when the key holds a value that is not a number
   */
  add(key: string, amount: number, options: AddOptions): Awaitable<AddResult>;
  /**
   * Atomically stores a whole number from 0 to 2^53 - 1 if the key is absent or has a smaller number. Returns whether it was stored. The key is not evicted
   * before it expires.
   *
   * @throws CORE_SHARED_STATE_FULL when the key has no raised value yet and the group has `maxKeys` keys; CORE_SHARED_STATE_NOT_A_COUNTER as `add`
   */
  raise(key: string, value: number, options: RaiseOptions): Awaitable<boolean>;
  /** Returns the value of a key, `undefined` when absent or expired. */
  get(key: string): Awaitable<Json | undefined>;
  /** Stores a value. Returns whether it was stored. */
  set(key: string, value: Json, options: SetOptions): Awaitable<boolean>;
  /** Removes a value or counter. Returns whether there was one. */
  delete(key: string): Awaitable<boolean>;
  /**
   * Sends a message to every subscriber in every worker, including this one; each gets its own copy.
   *
   * Resolves with `true` when all have run, in every running worker. A subscriber that takes longer than 1 s counts as done. Errors of subscribers are
   * logged. Resolves with `false` after `waitMs`, or when a worker lost its connection to the others before it confirmed: it may have missed the message, and
   * calls `onMissed` of its subscriptions.
   *
   * @throws CORE_SHARED_STATE_UNAVAILABLE when the message may not have been sent, or a connected worker does not confirm; CORE_SHARED_STATE_BAD_OPTION for a
   * bad `waitMs`
   */
  publish(channel: string, message: Json, options?: PublishOptions): Promise<boolean>;
  /** Calls `listener` with every message of a channel. Returns a function that unsubscribes. */
  subscribe(
    channel: string,
    listener: (message: Json) => Awaitable<void>,
    options?: SubscribeOptions,
  ): () => void;
  /**
   * Whether this worker gets every message, so that publishers wait for it. `false` while its connection to the others is lost; then copies of shared data may
   * be outdated until `onMissed` has been called.
   */
  isConnected(): boolean;
}
