import type { Awaitable } from "../../middleware/middleware.ts";

/** A name with its numbers: the amounts to add, or the sums so far. */
export type Total = readonly [name: string, numbers: readonly number[]];

/**
 * Running totals, shared by all workers. They never expire: what a process added stays when it dies.
 *
 * Names are bounded in size together, and a new name beyond the bound is an error: a total that made room for another would begin at 0 again.
 */
export interface Totals {
  /**
   * Adds to the totals of a key, up to 1,000 names in one step. Each name has as many totals as it first had numbers; they begin at 0.
   *
   * @throws CORE_SHARED_STATE_FULL when there is no room for a new name; then nothing was added
   */
  add(key: string, amounts: readonly Total[]): Awaitable<void>;
  /** Every total of a key, in the order in which the names were first used. */
  read(key: string): Awaitable<readonly Total[]>;
}
