import type { Queries, Statement, Transaction } from "@framework/database";
import type { Failure } from "./failure.ts";
import type { ParkedDetails } from "./parked-item.ts";

/** A source of parked work, which also takes it back. */
export interface ParkedSource {
  /** Name, unique in a kernel, such as `work`. */
  readonly source: string;
  /**
   * Whether an order by key is kept: while an item is parked, later work of its key is also parked, and a replay marks the items as
   * `replaying` for the owner of the lane, which applies them in order (`kernel.parked.inOrder`). @default false
   */
  readonly isOrdered?: boolean;
  /** Takes work back, in the transaction that marks it as replayed or replaying. If it throws, the work stays parked and the error is reported. */
  replay(tx: Transaction, item: ParkedDetails): Promise<void>;
  /** Loads the payload of an inspected item, for a source that parks a reference to it. @default the parked payload */
  load?(item: ParkedDetails): Promise<unknown>;
}

/** Origin of parked work. */
export interface ParkedOrigin {
  /** Source of the work. */
  readonly source: string;
  /** The queue, projection or subscription. */
  readonly name: string;
}

/** Work to park. */
export interface NewParked extends ParkedOrigin {
  /** Key of the work; `null` without one. */
  readonly key: string | null;
  /** For an ordered source: lane whose owner replays the work. @default none */
  readonly lane?: number;
  /** JSON, at most 1 MiB. */
  readonly payload: string;
  /** JSON object of strings. */
  readonly headers: string | null;
  /** JSON that only the source reads. */
  readonly detail: string | null;
  /** The last error; `null` for work that is blocked by an earlier item of its key. */
  readonly failure: Failure | null;
  /** State of the key, for work that is blocked by an earlier item. @default "parked" */
  readonly state?: HeldState;
  /** Attempts so far. */
  readonly attempts: number;
  /** Start of the first attempt, or when the work was added, in milliseconds of the database's clock. */
  readonly firstAt: number;
}

/** State of a key with parked items: `replaying` if all of them are. */
export type HeldState = "parked" | "replaying";

/** Parked work of ordered sources, for the owner of a lane. All changes are part of the owner's transaction, so a crash neither loses an item nor applies it twice. */
export interface ParkedInOrder {
  /** Returns the keys that have parked or replaying items, with the state of each: later work of these keys must also be parked. */
  heldKeys(
    queries: Queries,
    origin: ParkedOrigin,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, HeldState>>;
  /** SQL condition: whether an origin has parked or replaying items. If not, there is no need to call `heldKeys`. */
  isHolding(origin: ParkedOrigin): Statement;
  /** SQL condition: whether a lane has replaying items. */
  isReplaying(origin: ParkedOrigin, lane: number): Statement;
  /** Returns the next item for the owner of a lane to apply: the oldest replaying one that is the first of its key. */
  next(queries: Queries, origin: ParkedOrigin, lane: number): Promise<ParkedDetails | null>;
  /**
   * Marks an item as replayed, and the items that it alone blocked as replaying. Returns `false` if it is no longer `replaying`, because it has been
   * discarded.
   */
  markReplayed(tx: Transaction, item: ParkedDetails): Promise<boolean>;
  /** Parks an item that has failed again, with one more attempt and the last error, and the replaying items of its key after it. */
  parkAgain(tx: Transaction, item: ParkedDetails, failure: Failure): Promise<void>;
  /** Discards all parked items of an origin that is being removed. Returns their number. */
  discardAll(tx: Transaction, origin: ParkedOrigin, note: string): Promise<number>;
  /** Returns the numbers of parked or replaying items, by the name of their origin. */
  counts(source: string): Promise<ReadonlyMap<string, number>>;
}
