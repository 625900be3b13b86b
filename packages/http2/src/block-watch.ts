import type { ByteCounters } from "./flood-watch.ts";

/**
 * Detects a blocked connection: not even the resets of its streams are sent. A waiting stream does not prove that, because each stream has its own window.
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

  /** Records that a stream was reset, so RST_STREAM must be sent. */
  addReset(): void {
    this.hasReset = true;
  }

  /** Returns whether a reset is unsent because the client has read nothing for too long; called once a second. */
  checkBlocked(now: number): boolean {
    const { bytesWritten } = this.counters;
    if (bytesWritten === this.written) return this.hasReset && now - this.progressAt >= this.limitMs;
    this.written = bytesWritten;
    this.progressAt = now;
    this.hasReset = false;
    return false;
  }
}
