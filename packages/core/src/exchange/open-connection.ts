/** An open connection, as a transport manages it. */
export interface OpenConnection {
  /** Whether the connection has no request in progress, and no part of one in its input. */
  readonly idle: boolean;
  /** Whether the connection has received a request. */
  readonly used: boolean;
  /** Enforces its deadlines; called once a second. */
  check(now: number): void;
  /** Destroys the connection. */
  cut(): void;
  /** Called once, when the transport begins to drain. Idle connections are cut `drainIdleMs` later. */
  drain?(): void;
}

/** An exchange that waits briefly for a short body, so that the app gets the complete request at once. */
export interface BodyGraceListener {
  /** Called when the grace period has ended: a request whose body is still incomplete is served without it. */
  bodyGraceEnded(): void;
}
