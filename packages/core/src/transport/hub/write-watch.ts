import type { Socket } from "../../exchange/socket.ts";

/** Detects a client that does not read its replies, from the socket's counters. */
export class WriteWatch {
  private readonly socket: Socket;
  private readonly limitMs: number;
  private flushed = -1;
  private since: number | null = null;

  /** @param limitSecs seconds within which at least one byte must leave the socket's buffer */
  constructor(socket: Socket, limitSecs: number) {
    this.socket = socket;
    this.limitMs = limitSecs * 1000;
  }

  /** Whether bytes are waiting and none has left for too long; called once a second. */
  isStalled(now: number): boolean {
    const waiting = this.socket.writableLength;
    if (waiting === 0) {
      this.since = null;
      return false;
    }
    const flushed = this.socket.bytesWritten - waiting;
    if (this.since === null || flushed !== this.flushed) {
      this.flushed = flushed;
      this.since = now;
      return false;
    }
    return now - this.since >= this.limitMs;
  }
}
