import type { Statement, Transaction } from "@framework/database";

/** An instance as a queue of turns needs it. */
export interface TurnOf {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/** The right of a worker to run an instance for a while. */
export interface Turn {
  readonly sagaId: string;
  /** Number of workers that have had this turn; above 1, those before were lost. */
  readonly attempt: number;
  /** Aborts when the turn is lost or the process ends. */
  readonly signal: AbortSignal;
  /** Calls back when an operator cancels the saga while an attempt runs. Returns what ends it. */
  onCancelled(cancelled: () => void): () => void;
  /** SQL condition that is true while the worker has the turn. */
  readonly held: Statement;
  /** Ends the turn; the instance needs no other one for now. @throws when it is lost */
  end(tx: Transaction): Promise<void>;
  /** Ends the turn; another one begins later. @throws when it is lost */
  again(tx: Transaction, delayMs: number): Promise<void>;
}

/** Gives turns to workers, by transactions of the callers. */
export interface Turns {
  /** Adds a turn, unless the instance has one. */
  add(tx: Transaction, saga: TurnOf, delayMs: number): Promise<void>;
  /** Ends the turn that the instance may have, running or planned, and adds one that begins now. */
  replace(tx: Transaction, saga: TurnOf): Promise<void>;
  /**
   * Ends the turn that is planned, and adds one that begins now. A running one stays: its worker may be in a call, is told that the saga is cancelled, and goes
   * on with the saga as it is then when the call has ended.
   */
  interrupt(tx: Transaction, saga: TurnOf): Promise<void>;
}
