/** What an app's connections did so far, for its figures. */
export interface Traffic {
  readonly now: () => number;
  opened: number;
  received: number;
  sent: number;
  /** Connections closed because their client took messages too slowly. */
  overrun: number;
  /** Connections cut because nothing came from their client. */
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
