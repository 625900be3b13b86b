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
  /** Looks how far it is now. Concurrent calls share one look, which begins after each of them. */
  advance(): Promise<Decided>;
}
