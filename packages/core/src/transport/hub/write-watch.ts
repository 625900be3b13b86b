/** Bytes per second that a client must read, on average over the time limit, while bytes wait for it. */
const WRITE_RATE = 1024;

/** A socket's counters of bytes written to a client. */
export interface WriteCounters {
  /** Bytes that wait to be sent. */
  readonly writableLength: number;
  /** Bytes written so far, waiting ones included. */
  readonly bytesWritten: number;
}

/**
 * Detects a client that reads its replies too slowly, from the socket's counters.
 *
 * The counters advance when the system accepts bytes, in steps of about 64 KiB: a client that reads at two or three times the rate is never cut.
 */
export class WriteWatch {
  private readonly socket: WriteCounters;
  private readonly limitMs: number;
  private flushed = 0;
  private progressAt = 0;
  private waitsSince: number | null = null;
  private windowFrom = 0;
  private windowBytes = 0;

  /** @param limitSecs seconds within which at least one byte must leave the socket's buffer, and over which the rate is averaged */
  constructor(socket: WriteCounters, limitSecs: number) {
    this.socket = socket;
    this.limitMs = limitSecs * 1000;
  }

  /** Returns whether bytes wait and the client has read too few of them for too long. Must be called once a second. */
  checkTooSlow(now: number): boolean {
    const waiting = this.socket.writableLength;
    if (waiting === 0) {
      this.waitsSince = null;
      return false;
    }
    const flushed = this.socket.bytesWritten - waiting;
    if (this.waitsSince === null || flushed !== this.flushed) this.progressAt = now;
    if (this.waitsSince === null) this.openWindow(now, flushed);
    this.waitsSince ??= now;
    this.flushed = flushed;
    return now - this.progressAt >= this.limitMs || this.isBelowRate(now);
  }

  private isBelowRate(now: number): boolean {
    const elapsed = now - this.windowFrom;
    if (elapsed < this.limitMs) return false;
    if (this.flushed - this.windowBytes < (WRITE_RATE * elapsed) / 1000) return true;
    this.openWindow(now, this.flushed);
    return false;
  }

  private openWindow(now: number, flushed: number): void {
    this.windowFrom = now;
    this.windowBytes = flushed;
  }
}
