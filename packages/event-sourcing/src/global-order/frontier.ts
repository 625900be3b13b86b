/** How far the global order is decided. */
export interface Decided {
  /** Every position up to this one has its event visible, or will never have one. */
  readonly position: number;
  /**
   * `"end"`: nothing more was visible. `"more"`: there is more to look at. `"waiting"`: events after it are visible, but an append that is still
   * open may have a position between.
   */
  readonly state: ReadState;
}

/** See `Decided.state`. */
export type ReadState = "end" | "more" | "waiting";

/** Knows how far readers may read without missing an event that is committed later. */
export interface Frontier {
  /** The position known so far. */
  readonly position: number;
  /** How often the store was found to have gone back to an older state. */
  readonly returns: number;
  /** Last position that the older state has in common with what was read before, as far as the frontier can tell. */
  readonly returnedTo: number;
  /** Looks how far it is now. Concurrent calls share one look, which begins after each of them. */
  advance(): Promise<Decided>;
}
