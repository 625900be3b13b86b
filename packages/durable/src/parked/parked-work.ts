import type { ParkedFilter } from "./parked-filter.ts";
import type { ParkedDetails, ParkedItem } from "./parked-item.ts";

/** Work that gave up, for programs and operators: `app.durable.parked`. Nothing is removed until an operator or the program decides. */
export interface ParkedWork {
  /** Lists work, the oldest first. @throws DURABLE_BAD_FILTER */
  list(filter?: ParkedFilter): Promise<ParkedPage>;
  /** Returns work with its payload and stack; `null` for an unknown id. */
  inspect(id: string): Promise<ParkedDetails | null>;
  /**
   * Gives parked work back to its source, each in a transaction of its own with the mark that it was: nothing is replayed twice or lost by a crash.
   * Work of an ordered source, such as a projection, is `replaying` until its owner has applied it, in the order of its key.
   *
   * @param which ids, at most 10,000, or a filter, whose `limit` is that of the options
   * @throws DURABLE_BAD_FILTER
   */
  replay(which: readonly string[] | Omit<ParkedFilter, "limit">, options?: ReplayOptions): Promise<Replayed>;
  /** Gives work up, with a note that says why; all of it or, after a failure, none. Returns the number. @throws DURABLE_BAD_FILTER without a note */
  discard(ids: readonly string[], options: DiscardOptions): Promise<number>;
  /** Number of items that are parked or replaying. */
  count(): Promise<number>;
}

/** A page of parked work. */
export interface ParkedPage {
  /** The items, oldest first. */
  readonly items: readonly ParkedItem[];
  /** `after` of the next page; `null` after the last. */
  readonly next: string | null;
}

/** Options of a replay. */
export interface ReplayOptions {
  /** Most items, 1 to 10,000. @default all ids that are given, or 100 of a filter */
  readonly limit?: number | undefined;
  /** Most items in one second, 1 to 10,000. @default 100 */
  readonly perSecond?: number | undefined;
  /** Ends the replay between two items. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `discard`. */
export interface DiscardOptions {
  /** Why, 1 to 2,000 characters. */
  readonly note: string;
}

/** The result of a replay. */
export interface Replayed {
  /** Number of items that were put back to work. */
  readonly replayed: number;
  /** Items that are parked as before, with the reason; the first 100. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
}
