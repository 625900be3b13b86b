/** Totals of an app's connections, for its metrics, and the clock of the connections. */
export interface Traffic {
  readonly now: () => number;
  opened: number;
  received: number;
  sent: number;
  /** Connections closed because their client read messages too slowly. */
  overrun: number;
  /** Connections closed because their client was inactive. */
  timedOut: number;
}

export const newTraffic = (now: () => number): Traffic => ({
  now,
  opened: 0,
  received: 0,
  sent: 0,
  overrun: 0,
  timedOut: 0,
});
