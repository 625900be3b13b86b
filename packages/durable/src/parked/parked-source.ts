import type { Queries, Statement, Transaction } from "@framework/database";
import type { Failure } from "./failure.ts";
import type { ParkedDetails } from "./parked-item.ts";

/** A part that parks work and takes it back. */
export interface ParkedSource {
  /** Unique in a kernel: `work`. */
  readonly source: string;
  /**
   * Whether later work of a key is parked behind an item that is, and the owner of the work takes it back in order: a replay then marks the items as
   * `replaying`, and the owner ends them (`kernel.parked.inOrder`). @default false
   */
  readonly isOrdered?: boolean;
  /** Takes work back, in the transaction that marks it as replayed or replaying. What it throws leaves the work parked, and is reported. */
  replay(tx: Transaction, item: ParkedDetails): Promise<void>;
  /** Loads the payload when an item is inspected, where a reference to it was parked. @default the payload as it was parked */
  load?(item: ParkedDetails): Promise<unknown>;
}

/** Where ordered work is parked. */
export interface ParkedPlace {
  /** Source of the work. */
  readonly source: string;
  /** The queue, projection or subscription. */
  readonly name: string;
}

/** Work to park. */
export interface NewParked extends ParkedPlace {
  /** Key of the work; `null` without one. */
  readonly key: string | null;
  /** Lane whose owner replays it, of an ordered source. @default none */
  readonly lane?: number;
  /** JSON, at most 1 MiB. */
  readonly payload: string;
  /** JSON of text by name. */
  readonly headers: string | null;
  /** JSON, for the source alone. */
  readonly detail: string | null;
  /** The last error; `null` for work that waits for an earlier item of its key. */
  readonly failure: Failure | null;
  /** State of the key, for work that waits for an earlier item. @default "parked" */
  readonly state?: HeldState;
  /** Attempts so far. */
  readonly attempts: number;
  /** Milliseconds of the database's clock. */
  readonly firstAt: number;
}

/** State of a key with parked items: `replaying` when all of them are. */
export type HeldState = "parked" | "replaying";

/** Parked work of ordered sources, for its owner: in the owner's transaction, so that nothing is lost or applied twice by a crash. */
export interface ParkedInOrder {
  /** Which of these keys have items that are parked or replaying: later work of the key must be parked too. */
  heldKeys(
    queries: Queries,
    place: ParkedPlace,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, HeldState>>;
  /** SQL condition: whether a place has items that are parked or replaying. Without any, `heldKeys` need not be asked. */
  isHolding(place: ParkedPlace): Statement;
  /** SQL condition: whether a lane has items that are `replaying`. */
  isReplaying(place: ParkedPlace, lane: number): Statement;
  /** The next item that the owner of a lane replays: the oldest that is `replaying`, with no earlier one of its key before it. */
  next(queries: Queries, place: ParkedPlace, lane: number): Promise<ParkedDetails | null>;
  /**
   * Marks an item as replayed, and those that only waited for it as replaying. Returns `false` when it is not `replaying` any more: it was discarded
   * meanwhile.
   */
  replayed(tx: Transaction, item: ParkedDetails): Promise<boolean>;
  /** Parks an item again that has failed, and those that are replayed after it, with one more attempt and the last error. */
  parkAgain(tx: Transaction, item: ParkedDetails, failure: Failure): Promise<void>;
  /** Gives up all that is parked at a place which is being removed. Returns how many. */
  discardAll(tx: Transaction, place: ParkedPlace, note: string): Promise<number>;
  /** Numbers of items that are parked or replaying, by the name of their place. */
  counts(source: string): Promise<ReadonlyMap<string, number>>;
}
