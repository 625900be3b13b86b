import type { Statement, Transaction } from "@framework/database";

/** Identifies an instance in a `RunQueue`. */
export interface SagaRef {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/** Exclusive claim of a worker to run an instance until it waits, ends, or needs a later attempt. */
export interface RunClaim {
  readonly sagaId: string;
  /** Number of workers that have claimed this run; all but the last were lost. */
  readonly attempt: number;
  /** Aborts when the claim is lost or the process stops. */
  readonly signal: AbortSignal;
  /** Calls `cancelled` when an operator cancels the saga during an attempt. Returns a function that unsubscribes. */
  onCancelled(cancelled: () => void): () => void;
  /** SQL condition that is true while the worker holds the claim. */
  readonly held: Statement;
  /** Ends the run without scheduling another. Throws if the claim is lost. */
  end(tx: Transaction): Promise<void>;
  /** Ends the run and schedules another. Throws if the claim is lost. */
  again(tx: Transaction, delayMs: number): Promise<void>;
}

/** Schedules runs of instances, in transactions of the callers. */
export interface RunQueue {
  /** Schedules a run, unless the instance has one. */
  add(tx: Transaction, saga: SagaRef, delayMs: number): Promise<void>;
  /** Cancels the instance's current or scheduled run, if any, and schedules one now. */
  replace(tx: Transaction, saga: SagaRef): Promise<void>;
  /**
   * Cancels a scheduled run, and schedules one now. A current run stays: its worker may be in a call, is notified that the saga is cancelled, and continues
   * with the cancelled saga once the call has ended.
   */
  interrupt(tx: Transaction, saga: SagaRef): Promise<void>;
}
