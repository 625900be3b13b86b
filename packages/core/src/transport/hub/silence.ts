import type { Socket } from "../../exchange/socket.ts";

/** Milliseconds without a byte after which a half-closed client counts as gone. */
export const SILENT_MS = 2000;

/**
 * Watches a reply that goes on after the client has half-closed. The client may have closed altogether, which only a write can show: a stream that
 * produces nothing would wait for it for ever.
 */
export class Silence {
  private readonly socket: Socket;
  private written: number;
  private since: number;

  constructor(socket: Socket, now: number) {
    this.socket = socket;
    this.written = socket.bytesWritten;
    this.since = now;
  }

  /** Whether nothing was written, and nothing waits to be sent, for 2 s; called once a second. */
  isTooLong(now: number): boolean {
    const written = this.socket.bytesWritten;
    if (written !== this.written || this.socket.writableLength > 0) {
      this.written = written;
      this.since = now;
      return false;
    }
    return now - this.since >= SILENT_MS;
  }
}
