import type { Invocation } from "@framework/core";
import type { Statement, Transaction } from "@framework/database";

/** Returned by the handler of a plain queue to keep the attempt open until `item.end`, without a promise: a message on the database is handled so. */
export const untilEnded: unique symbol = Symbol("untilEnded");

/** An item that a handler works on. */
export interface WorkItem<T> {
  /** Identifies the item; opaque. */
  readonly id: string;
  /** Name of the queue. */
  readonly queue: string;
  /** What was enqueued. */
  readonly payload: T;
  /** The payload as JSON, unchanged: for features that parse it themselves. */
  readonly payloadText: string;
  /** Key of the work; `null` without one. */
  readonly key: string | null;
  /** Number of this attempt, from 1; an attempt in which the process was killed counts too. */
  readonly attempt: number;
  /** Headers that were enqueued with it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since 1970, by the database's clock. */
  readonly createdAt: number;
  /** Aborts when the attempt has ended: at its timeout, when the item is cancelled or taken over, and when the process ends. */
  readonly signal: AbortSignal;
  /** Calls back when `signal` aborts, without the cost of a signal: about 2 µs an item, which is a tenth of a message on SQLite. */
  onAborted(aborted: () => void): void;
  /**
   * Ends an attempt whose handler returned `untilEnded`: done with `null`, or failed with an error. Later calls have no effect.
   */
  end(error: Error | null): void;
  /** The invocation of this attempt, for guards. */
  readonly invocation: Invocation;
  /**
   * Stores how far the work is, at most 64 KiB as JSON, for programs and operators that look at the item. Only the last value of a moment is written.
   *
   * @throws DURABLE_BAD_WORK
   */
  progress(value: unknown): void;
  /**
   * SQL condition that is true while this attempt holds the item: for fenced writes of a feature that keeps state of its own in the same database.
   */
  readonly held: Statement;
  /** Calls back once the outcome of this attempt is in the table; with `false` when it was refused, because the item was taken over or cancelled. */
  onSettled(settled: (isHeld: boolean) => void): void;
  /**
   * Completes the item in the handler's own transaction: both are committed, or neither is. The result of the handler is then ignored.
   *
   * @throws DURABLE_LOST when the attempt has ended: its timeout has passed, or the item was taken over or cancelled. The transaction must be undone.
   */
  complete(tx: Transaction, result?: unknown): Promise<void>;
}
