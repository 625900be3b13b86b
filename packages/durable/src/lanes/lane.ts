import type { Transaction } from "@framework/database";

/** A lane that this process owns. */
export interface Lane {
  /** Number of the lane, from 0. */
  readonly lane: number;
  /** Grows with every owner of the lane. */
  readonly fence: number;
  /** Aborts when the lane is lost (`LeaseLostError`), wanted by another process, or the process drains; with `endsWithStop`, when it stops. */
  readonly signal: AbortSignal;
  /**
   * Verifies in a transaction that this process still owns the lane, and keeps it from being taken until the transaction ends. Call it in every
   * transaction that relies on the lane.
   *
   * @throws LeaseLostError
   */
  check(tx: Transaction): Promise<void>;
}

/** Options of lanes. */
export interface LanesOptions {
  /** What the lanes are for, unique in the database: 1 to 200 printable ASCII characters, such as `projection shelf 2`. */
  readonly kind: string;
  /**
   * Number of lanes, 1 to 1,024. Processes with another number for the same kind wait until those with the present one have stopped: the same work would
   * be in two lanes.
   */
  readonly count: number;
  /** Keeps the lanes during the drain too, until the stop: for work that requests in flight wait for. @default false */
  readonly endsWithStop?: boolean | undefined;
  /**
   * Works on one lane until its `signal` aborts, and then returns; the lane is kept until it has, for a lease at most. When it ends earlier or fails, it
   * is called again after a pause of 0.1 to 30 s.
   */
  run(lane: Lane): Promise<void>;
}

/** Lanes of one kind in this process. */
export interface Lanes {
  /** Lanes that this process owns now, ascending. */
  held(): readonly number[];
  /** Gives all of them up and takes no more. */
  stop(): Promise<void>;
}
