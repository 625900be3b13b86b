import type { Statement, Transaction } from "@framework/database";

/** An instance, as identified by `Turns`. */
export interface SagaRef {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/** Exclusive right of a worker to run an instance for a while. */
export interface Turn {
  readonly sagaId: string;
  /** Number of workers that have had this turn; all but the last were lost. */
  readonly attempt: number;
  /** Aborts when the turn is lost or the process stops. */
  readonly signal: AbortSignal;
  /** Calls `cancelled` when an operator cancels the saga during an attempt. Returns a function that unsubscribes. */
  onCancelled(cancelled: () => void): () => void;
  /** SQL condition that is true while the worker has the turn. */
  readonly held: Statement;
  /** Ends the turn without scheduling another. Throws if the turn is lost. */
  end(tx: Transaction): Promise<void>;
  /** Ends the turn and schedules another. Throws if the turn is lost. */
  again(tx: Transaction, delayMs: number): Promise<void>;
}

/** Schedules turns, in transactions of the callers. */
export interface Turns {
  /** Adds a turn, unless the instance has one. */
  add(tx: Transaction, saga: SagaRef, delayMs: number): Promise<void>;
  /** Cancels the instance's running or scheduled turn, if any, and adds one that begins now. */
  replace(tx: Transaction, saga: SagaRef): Promise<void>;
  /**
   * Cancels a scheduled turn, and adds one that begins now. A running turn stays: its worker may be in a call, is notified that the saga is cancelled, and
   * continues with the cancelled saga once the call has ended.
   */
  interrupt(tx: Transaction, saga: SagaRef): Promise<void>;
}
