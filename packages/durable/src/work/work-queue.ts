import type { Transaction } from "@framework/database";
import type { NewWork } from "./queue/new-work.ts";
import type { WorkInfo } from "./work-info.ts";
import type { WorkState } from "./table/work-state.ts";

/** A queue of items on the database. Every process that defines it works on it. */
export interface WorkQueue<T> {
  /** Name of the queue. */
  readonly name: string;
  /**
   * Adds work, at most 10,000 items and 64 MiB of payloads and headers per call. With `tx` the work is added by that transaction.
   *
   * @throws DURABLE_BAD_WORK; HttpError 503 (DURABLE_BUSY)
   */
  enqueue(work: NewWork<T> | readonly NewWork<T>[], options?: WorkOptions): Promise<readonly EnqueuedItem[]>;
  /**
   * Cancels the unfinished item with this id or unique key: it does not start, or if it is running, its signal aborts and its outcome is refused. Returns
   * whether there was one.
   *
   * A handler on another host is notified at once on PostgreSQL, otherwise at its next renewal, within a third of the lease.
   *
   * @throws DURABLE_BAD_WORK
   */
  cancel(item: string | UniqueItem, options?: CancelOptions): Promise<boolean>;
  /** Restarts a failed or cancelled item, with its number of attempts reset. Returns `false` for any other item, and if its unique key is taken. */
  retry(id: string): Promise<boolean>;
  /**
   * Returns the item with this id, or the unfinished one with this unique key; `null` if it does not exist or is no longer kept.
   *
   * @throws DURABLE_BAD_WORK
   */
  get(item: string | UniqueItem): Promise<WorkInfo | null>;
  /** Lists items in the order in which they were added, or in reverse. @throws DURABLE_BAD_FILTER */
  list(filter?: WorkFilter): Promise<WorkPage>;
  /** Counts unfinished items. */
  stats(): Promise<WorkStats>;
}

/** Selects the unfinished item that has a unique key. */
export interface UniqueItem {
  /** Unique key of the work. */
  readonly uniqueKey: string;
}

/** Options of a change to a queue. */
export interface WorkOptions {
  /** Transaction that makes the change. @default a separate one */
  readonly tx?: Transaction | undefined;
}

/** Options of a cancellation. */
export interface CancelOptions extends WorkOptions {
  /** Whether a running item continues; `cancel` then returns `false`. @default false */
  readonly keepRunning?: boolean | undefined;
}

/** The added item, or the existing unfinished one with its unique key. */
export interface EnqueuedItem {
  /** Id of the item. */
  readonly id: string;
  /** Whether it was added by this call. */
  readonly isNew: boolean;
}

/** Orders of a list. */
export const workOrders = ["oldest", "newest"] as const;

/** Whether the oldest or the newest item comes first. */
export type WorkOrder = (typeof workOrders)[number];

/** Selects the items of a list. */
export interface WorkFilter {
  /** State of the work. */
  readonly state?: WorkState | undefined;
  /** Key of the work. */
  readonly key?: string | undefined;
  /** Order in which the items were added. @default "oldest" first */
  readonly order?: WorkOrder | undefined;
  /** `next` of the previous page in the same order. @default the first page */
  readonly after?: string | undefined;
  /** Maximum number of items of a page, 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
}

/** A page of items. */
export interface WorkPage {
  /** The items, in the order of the filter. */
  readonly items: readonly WorkInfo[];
  /** `after` of the next page; `null` after the last. */
  readonly next: string | null;
}

/** Numbers of unfinished items of a queue by state, each counted up to 100,000. */
export interface WorkStats {
  /** Items that are not due yet. */
  readonly waiting: number;
  /** Items that can start now. */
  readonly ready: number;
  /** Items that wait for earlier ones with the same key. */
  readonly blocked: number;
  /** Items that a process has claimed. */
  readonly running: number;
  /** Milliseconds since the oldest ready item was due; `null` without one. */
  readonly oldestReadyMs: number | null;
}
