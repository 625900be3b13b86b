import type { BodyGraceListener } from "../../exchange/open-connection.ts";

/** Milliseconds to wait for a short body after its head: clients often send the two in separate writes. */
const GRACE_MS = 10;

export type { BodyGraceListener };

/** One timer for all connections that wait for a short body. */
export class BodyGrace {
  private readonly waiting = new Set<BodyGraceListener>();

  /** Calls `bodyGraceEnded` after at most 10 ms, whether the body has arrived or not. */
  begin(connection: BodyGraceListener): void {
    // Not the hub's clock: this timer only selects the code that reads the body, and does not limit clients.
    if (this.waiting.size === 0) setTimeout(this.end, GRACE_MS).unref();
    this.waiting.add(connection);
  }

  private readonly end = (): void => {
    const late = [...this.waiting];
    this.waiting.clear();
    for (const connection of late) connection.bodyGraceEnded();
  };
}
