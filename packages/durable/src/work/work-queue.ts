import type { Transaction } from "@framework/database";
import type { NewWork } from "./queue/new-work.ts";
import type { WorkInfo } from "./work-info.ts";
import type { WorkState } from "./table/work-state.ts";

/** A queue of items on the database, which every process with its definition works on. */
export interface WorkQueue<T> {
  /** Name of the queue. */
  readonly name: string;
  /**
   * Adds work, at most 10,000 items and 64 MiB of payloads and headers at once. With `tx` it is added by that transaction: visible with its commit, gone with its rollback.
   *
   * @throws DURABLE_BAD_WORK
   */
  enqueue(work: NewWork<T> | readonly NewWork<T>[], options?: WorkOptions): Promise<readonly Enqueued[]>;
  /**
   * Cancels the unfinished item with this id or unique key: it does not start, and if it runs, its signal aborts and its outcome is refused. Returns
   * whether there was one.
   *
   * A handler on another host is told at once on PostgreSQL, otherwise at its next renewal, within a third of the lease.
   */
  cancel(item: string | UniqueItem, options?: CancelOptions): Promise<boolean>;
  /** Starts a failed or cancelled item again, with all its attempts. Returns `false` for any other, and when its unique key is taken. */
  retry(id: string): Promise<boolean>;
  /**
   * Returns the item with this id, or the unfinished one with this unique key; `null` for one that does not exist any more.
   *
   * @throws DURABLE_BAD_WORK
   */
  get(item: string | UniqueItem): Promise<WorkInfo | null>;
  /** Lists items in the order in which they were added, or in its reverse. @throws DURABLE_BAD_FILTER */
  list(filter?: WorkFilter): Promise<WorkPage>;
  /** Counts items. */
  stats(): Promise<WorkStats>;
}

/** Names the unfinished item that has a unique key. */
export interface UniqueItem {
  /** Unique key of the work. */
  readonly uniqueKey: string;
}

/** Options of a change to a queue. */
export interface WorkOptions {
  /** Transaction that makes the change. @default one of its own */
  readonly tx?: Transaction | undefined;
}

/** Options of a cancellation. */
export interface CancelOptions extends WorkOptions {
  /** Whether an item that runs is left alone, as if there were none. @default false */
  readonly keepRunning?: boolean | undefined;
}

/** An item that was added, or the unfinished one that has its unique key. */
export interface Enqueued {
  /** Id of the work. */
  readonly id: string;
  /** Whether it was added by this call. */
  readonly isNew: boolean;
}

/** Orders of a list, by its first item. */
export const workOrders = ["oldest", "newest"] as const;

/** Whether the oldest or the newest item comes first. */
export type WorkOrder = (typeof workOrders)[number];

/** Which items to list. */
export interface WorkFilter {
  /** State of the work. */
  readonly state?: WorkState | undefined;
  /** Key of the work. */
  readonly key?: string | undefined;
  /** Order in which the items were added. @default "oldest" first */
  readonly order?: WorkOrder | undefined;
  /** `next` of the page before, which had the same order. @default from the first */
  readonly after?: string | undefined;
  /** 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
}

/** A page of items. */
export interface WorkPage {
  /** The work found, in the order of the filter. */
  readonly items: readonly WorkInfo[];
  /** `after` of the next page; `null` after the last. */
  readonly next: string | null;
}

/** Numbers of items of a queue. */
export interface WorkStats {
  /** Unfinished items by state, each counted up to 100,000. */
  readonly waiting: number;
  /** Work that can begin now. */
  readonly ready: number;
  /** Work that waits for earlier work with its key. */
  readonly blocked: number;
  /** Work that a process has claimed. */
  readonly running: number;
  /** Milliseconds since the oldest ready item was due; `null` without one. */
  readonly oldestReadyMs: number | null;
}
