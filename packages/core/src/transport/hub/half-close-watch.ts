import type { Socket } from "../../exchange/socket.ts";

/** Milliseconds without a byte after which a half-closed client counts as disconnected. */
export const HALF_CLOSED_IDLE_MS = 2000;

/**
 * Watches a reply that continues after the client has half-closed. The client may have disconnected, which only a write detects: a stream that produces nothing
 * would wait forever.
 */
export class HalfCloseWatch {
  private readonly socket: Pick<Socket, "bytesWritten" | "writableLength">;
  private written: number;
  /** Time of the last check that found bytes, or of the first check; `null` before it. */
  private since: number | null = null;

  constructor(socket: Pick<Socket, "bytesWritten" | "writableLength">) {
    this.socket = socket;
    this.written = socket.bytesWritten;
  }

  /** Returns whether nothing was written or waited to be sent for 2 s. Must be called once a second. */
  checkIdle(now: number): boolean {
    const written = this.socket.bytesWritten;
    if (this.since === null || written !== this.written || this.socket.writableLength > 0) {
      this.written = written;
      this.since = now;
      return false;
    }
    return now - this.since >= HALF_CLOSED_IDLE_MS;
  }
}
