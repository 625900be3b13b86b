/** Position up to which the global order is final. */
export interface FinalPosition {
  /** Each position up to this one has a visible event, or will never have one. */
  readonly position: number;
  /**
   * `"end"`: no later events are visible. `"more"`: there may be more to read. `"waiting"`: later events are visible, but an open append may have an earlier
   * position.
   */
  readonly state: ReadState;
}

/** See `FinalPosition.state`. */
export type ReadState = "end" | "more" | "waiting";

/** Determines how far readers may read without missing an event that is committed later. */
export interface Frontier {
  /** The last known position. */
  readonly position: number;
  /** Number of times that the store was found restored to an older state. */
  readonly rewinds: number;
  /** Last position that the restored state shares with the events read before, as far as the frontier can tell. */
  readonly rewoundTo: number;
  /** Determines the current position. Concurrent calls share a query, which starts after all of them. */
  advance(): Promise<FinalPosition>;
}
