import type { ByteCounters } from "./flood-watch.ts";

/**
 * Detects a blocked connection: not even the resets of its streams are sent. A waiting stream alone is no sign of one, because each stream has a window of its
 * own.
 */
export class BlockWatch {
  private readonly counters: Pick<ByteCounters, "bytesWritten">;
  private readonly limitMs: number;
  private written = 0;
  private progressAt = 0;
  private hasReset = false;

  /** @param limitSecs seconds without a byte after which a connection is blocked */
  constructor(counters: Pick<ByteCounters, "bytesWritten">, limitSecs: number) {
    this.counters = counters;
    this.limitMs = limitSecs * 1000;
  }

  /** Records that a stream was reset, which the client must learn. */
  addReset(): void {
    this.hasReset = true;
  }

  /** Whether resets are unsent because the client has taken no bytes for too long; called once a second. */
  isBlocked(now: number): boolean {
    const { bytesWritten } = this.counters;
    if (bytesWritten === this.written) return this.hasReset && now - this.progressAt >= this.limitMs;
    this.written = bytesWritten;
    this.progressAt = now;
    this.hasReset = false;
    return false;
  }
}
