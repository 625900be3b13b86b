import type { PoolClient } from "pg";

/**
 * Tracks whether the server stopped replying, so that older idle connections are dropped instead of each making another caller wait for a timeout.
 *
 * A statement without a reply counts only if no other statement got a reply since it was sent.
 */
export class Silence {
  private readonly eras = new WeakMap<PoolClient, number>();
  private era = 0;
  private answeredAt = 0;

  connected(client: PoolClient): void {
    this.eras.set(client, this.era);
  }

  /** The connection works. */
  answered(client: PoolClient): void {
    this.answeredAt = performance.now();
    if (this.era > 0) this.eras.set(client, this.era);
  }

  began(sentAt: number): void {
    if (this.answeredAt < sentAt) this.era++;
  }

  /** Marks every connection for replacement, such as those to a server that has become a standby. */
  renew(): void {
    this.era++;
  }

  /** Whether a connection has not replied since the server stopped replying. */
  isStale(client: PoolClient): boolean {
    return this.era > 0 && this.eras.get(client) !== this.era;
  }
}
