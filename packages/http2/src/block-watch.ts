import type { ByteCounters } from "./flood-watch.ts";

/**
 * Detects a connection that is blocked: not even the resets of its streams are sent. A stream that waits says nothing about its connection, because it has
 * a window of its own.
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

  /** A stream was reset, and its client must be told. */
  streamReset(): void {
    this.hasReset = true;
  }

  /** Whether resets have not reached the client, which took nothing for too long; called once a second. */
  isBlocked(now: number): boolean {
    const { bytesWritten } = this.counters;
    if (bytesWritten === this.written) return this.hasReset && now - this.progressAt >= this.limitMs;
    this.written = bytesWritten;
    this.progressAt = now;
    this.hasReset = false;
    return false;
  }
}
