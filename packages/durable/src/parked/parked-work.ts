import type { ParkedDetails, ParkedItem, ParkedState } from "./parked-item.ts";

/** Work that gave up, for programs and operators: `app.durable.parked`. It is kept until it is replayed or discarded. */
export interface ParkedWork {
  /** Lists work, oldest first. @throws DURABLE_BAD_FILTER */
  list(filter?: ParkedFilter): Promise<ParkedPage>;
  /** Returns work with its payload and stack; `null` for an unknown id. */
  inspect(id: string): Promise<ParkedDetails | null>;
  /**
   * Gives parked work back to its source. One transaction per item also marks it as replayed, so a crash neither loses an item nor replays it twice.
   * Work of an ordered source, such as a projection, is `replaying` until its owner has applied it, in the order of its key.
   *
   * @param which at most 10,000 ids, or a filter; the limit of a filter is `options.limit`
   * @throws DURABLE_BAD_FILTER
   */
  replay(
    which: readonly string[] | Omit<ParkedFilter, "limit">,
    options?: ReplayOptions,
  ): Promise<ReplayResult>;
  /**
   * Discards work in one transaction, with a note that gives the reason. Returns the number of items.
   *
   * @throws DURABLE_BAD_FILTER for ids that are not a list, a missing or too long note, or more than 10,000 ids
   */
  discard(ids: readonly string[], options: DiscardOptions): Promise<number>;
  /** Counts parked and replaying items. */
  count(): Promise<number>;
}

/** Selects parked work. */
export interface ParkedFilter {
  /** Source that parked the work, such as `work` for queues. */
  readonly source?: string | undefined;
  /** Name of the queue, projection or subscription. */
  readonly name?: string | undefined;
  /** Key of the work. */
  readonly key?: string | undefined;
  /** State of the items. @default "parked" */
  readonly state?: ParkedState | undefined;
  /** `next` of the previous page. @default the first page */
  readonly after?: string | undefined;
  /** Maximum number of items of a page, 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
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
  /** Maximum number of items, 1 to 10,000. @default the number of ids, or 100 for a filter */
  readonly limit?: number | undefined;
  /** Maximum number of items per second, 1 to 10,000. @default 100 */
  readonly perSecond?: number | undefined;
  /** Ends the replay after the current item. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `discard`. */
export interface DiscardOptions {
  /** Reason, 1 to 2,000 characters. */
  readonly note: string;
}

/** The result of a replay. */
export interface ReplayResult {
  /** Number of items returned to their sources. */
  readonly replayed: number;
  /** The first 100 items that could not be replayed, with the reason. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
}
