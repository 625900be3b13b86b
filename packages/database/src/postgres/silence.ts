import type { PoolClient } from "pg";

/**
 * Remembers when the server went silent, so that idle connections from before are dropped instead of each making one more caller wait.
 *
 * A statement without a reply is a silence of the server only if no other statement got one since it was sent.
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

  /** Drops every connection when it is next idle, such as those to a server that has become a standby. */
  renew(): void {
    this.era++;
  }

  /** Whether a connection has not replied since the server went silent. */
  covers(client: PoolClient): boolean {
    return this.era > 0 && this.eras.get(client) !== this.era;
  }
}
