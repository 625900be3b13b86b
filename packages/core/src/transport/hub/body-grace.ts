/** Milliseconds that a short body may come behind its head; clients often send the two one by one. */
const graceMs = 10;

/** Whoever has a head and waits a little for its short body, so that the app gets both at once. */
export interface AwaitsBody {
  /** The body did not come in time; the app may want to answer without it. */
  bodyGraceEnded(): void;
}

/** One timer for all short bodies that are waited for. */
export class BodyGrace {
  private readonly waiting = new Set<AwaitsBody>();

  /** Calls `bodyGraceEnded` in a moment, whether the body came or not. */
  begin(connection: AwaitsBody): void {
    // The process's own timer: what it decides is who reads the body, and not how long a client may take.
    if (this.waiting.size === 0) setTimeout(this.end, graceMs).unref();
    this.waiting.add(connection);
  }

  private readonly end = (): void => {
    const late = [...this.waiting];
    this.waiting.clear();
    for (const connection of late) connection.bodyGraceEnded();
  };
}
