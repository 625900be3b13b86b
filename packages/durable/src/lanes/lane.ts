import type { Transaction } from "@framework/database";

/** A lane that this process owns. */
export interface Lane {
  /** Number of the lane, from 0. */
  readonly lane: number;
  /** Increases with every owner of the lane. */
  readonly fence: number;
  /** Aborts when the lane is lost (`LeaseLostError`) or moves to another process, and when this process drains, or with `endsWithStop` when it stops. */
  readonly signal: AbortSignal;
  /**
   * Verifies in a transaction that this process still owns the lane, and keeps others from claiming it until the transaction ends. Call it in every
   * transaction that relies on the lane.
   *
   * @throws LeaseLostError
   */
  check(tx: Transaction): Promise<void>;
}

/** Options of lanes. */
export interface LanesOptions {
  /** Purpose of the lanes, unique in the database: 1 to 200 printable ASCII characters, such as `projection shelf 2`. */
  readonly kind: string;
  /**
   * Number of lanes, 1 to 1,024. Processes with another number for the same kind wait until processes with the current one have stopped: otherwise two lanes
   * could have the same work.
   */
  readonly count: number;
  /** Keeps the lanes during the drain, until the stop: for work that requests in flight wait for. @default false */
  readonly endsWithStop?: boolean | undefined;
  /**
   * Works on one lane, and returns when its `signal` aborts; the lane is released then, at the latest after `leaseMs`. If it returns earlier or
   * rejects, it is called again after 0.05 to 30 s.
   */
  run(lane: Lane): Promise<void>;
}

/** Lanes of one kind in this process. */
export interface Lanes {
  /** Lanes that this process owns now, ascending. */
  held(): readonly number[];
  /** Releases all lanes of the kind and claims no more. */
  stop(): Promise<void>;
}
