import type { Awaitable } from "../middleware/middleware.ts";
import type { PermitAsk, PermitRule, Permits } from "./permits/permits.ts";

/** What a bounded addition gave. */
export interface Added {
  /** The counter after the addition. */
  readonly value: number;
  /** How much of the amount was added: all of it, or what fitted below `max`. */
  readonly granted: number;
  /** Milliseconds until the counter expires. */
  readonly expiresInMs: number;
}

/** How a counter is added to. */
export interface AddOptions {
  /** Life of a counter that this call creates, in milliseconds; a living counter keeps its own. */
  readonly ttlMs: number;
  /** Ceiling: only as much is granted as fits below it. @default Number.MAX_SAFE_INTEGER */
  readonly max?: number;
}

/** A value that survives structured cloning as JSON does: what may cross to another process. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A name, and a number for each of its totals: what to add to them, or what they are. */
export type Tally = readonly [name: string, numbers: readonly number[]];

/**
 * State on which all workers of a service agree: counters and values with expiry, and broadcast.
 *
 * Adapters: in this process (one worker), through the primary process (many workers), Redis (many hosts). Every operation of one
 * adapter is atomic. Keys are strings of at most 512 characters, values at most 64 KiB as JSON; at most 100,000 live keys, of
 * which the one nearest to its expiry makes room. Time is monotonic. Counters and values share one space of keys: a counter is a
 * number, which `get` reads and `set` replaces. A call that breaks a bound throws a FrameworkError whose code begins with
 * CORE_SHARED_STATE_; CORE_SHARED_STATE_UNAVAILABLE says that the state cannot be reached, and that nobody knows whether the call
 * took effect.
 *
 * Permits have keys of their own, again at most 100,000, of which the one that nobody asked for longest makes room: clients, who choose these keys,
 * cannot push out anything else. Totals have keys of their own too, and never make room: a name beyond the bound is refused.
 */
export interface SharedState {
  /**
   * Adds `amount` to a counter, which begins at 0; a negative amount gives back, never below 0, and 0 only looks.
   *
   * A call that grants nothing makes no counter; a counter that is back at 0 lives on until it expires.
   *
   * @throws CORE_SHARED_STATE_NOT_A_COUNTER when the key holds a value that is not a number
   */
  add(key: string, amount: number, options: AddOptions): Awaitable<Added>;
  /** The value stored under a key, `undefined` when absent or expired. */
  get(key: string): Awaitable<Json | undefined>;
  /** Stores a value for `ttlMs` milliseconds; with `ifAbsent` only when there is none. Tells whether it was stored. */
  set(
    key: string,
    value: Json,
    options: { readonly ttlMs: number; readonly ifAbsent?: boolean },
  ): Awaitable<boolean>;
  /**
   * Spends permits of a key, and lends some to be used later without asking, in one step by the state's own clock.
   *
   * The key begins with all of `rule.capacity`; the same key is asked for with the same kind of rule, whose figures may change. A key all of whose
   * permits are back is forgotten.
   */
  take(key: string, rule: PermitRule, ask: PermitAsk): Awaitable<Permits>;
  /**
   * Adds to running totals, up to 1,000 names in one step; each name has as many totals as it first had numbers, which begin at 0. They live as long
   * as the state: what a process counted stays when it dies.
   *
   * @throws CORE_SHARED_STATE_FULL when there is no room for a new name; then nothing was added
   */
  tally(key: string, amounts: readonly Tally[]): Awaitable<void>;
  /** Every total of a key, in the order in which the names were first used. */
  totals(key: string): Awaitable<readonly Tally[]>;
  /** Removes a value or counter. Tells whether there was one. */
  delete(key: string): Awaitable<boolean>;
  /**
   * Hands a message to every subscriber in every worker, this one included, each with a copy of its own.
   *
   * Resolves when all have run; one that is stuck counts as done after 1 s, one that fails is logged.
   */
  publish(channel: string, message: Json): Promise<void>;
  /** Calls `listener` with every message of a channel until the returned function is called. */
  subscribe(channel: string, listener: (message: Json) => Awaitable<void>): () => void;
}
