import type { Awaitable } from "../../middleware/middleware.ts";

/** A name with its numbers: the amounts to add, or the current sums. */
export type Total = readonly [name: string, numbers: readonly number[]];

/**
 * Running totals, shared by all workers. They never expire: additions survive the process that made them.
 *
 * The total size of the names is bounded. A new name beyond the bound is an error: an evicted total would restart at 0.
 */
export interface Totals {
  /**
   * Atomically adds to the totals of a key, up to 1,000 names per call. The first call for a name fixes its number of totals; they begin at 0.
   *
   * @throws CORE_SHARED_STATE_FULL when there is no room for a new name; CORE_SHARED_STATE_BAD_KEY; CORE_SHARED_STATE_BAD_OPTION. Nothing is added then
   */
  add(key: string, amounts: readonly Total[]): Awaitable<void>;
  /**
   * Returns up to 250 totals of a key from position `from` on, in order of the first use of their names; an empty list beyond the last. Names keep their
   * positions, so pages can be read one after another. The size is bounded, because the process that holds the totals copies a page synchronously.
   *
   * @param from number of totals to skip, at least 0. @default 0
   * @throws CORE_SHARED_STATE_BAD_KEY, CORE_SHARED_STATE_BAD_OPTION
   */
  read(key: string, from?: number): Awaitable<readonly Total[]>;
}
