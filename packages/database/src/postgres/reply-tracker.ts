import type { PoolClient } from "pg";

/**
 * Tracks whether the server stopped replying, so that older idle connections are dropped instead of each making another caller wait for a timeout.
 *
 * A statement without a reply counts only if no other statement got a reply since it was sent.
 */
export class ReplyTracker {
  private readonly generations = new WeakMap<PoolClient, number>();
  private generation = 0;
  private lastReplyAt = 0;

  recordConnection(client: PoolClient): void {
    this.generations.set(client, this.generation);
  }

  /** Records that the connection works. */
  recordReply(client: PoolClient): void {
    this.lastReplyAt = performance.now();
    if (this.generation > 0) this.generations.set(client, this.generation);
  }

  recordTimeout(sentAt: number): void {
    if (this.lastReplyAt < sentAt) this.generation++;
  }

  /** Marks every connection for replacement, for example when the server has become a standby. A reply on a connection removes its mark. */
  replaceAll(): void {
    this.generation++;
  }

  /** Whether a connection has not replied since the server stopped replying, or since `replaceAll`. */
  isStale(client: PoolClient): boolean {
    return this.generation > 0 && this.generations.get(client) !== this.generation;
  }
}
