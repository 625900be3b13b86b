import type { Socket } from "../../exchange/socket.ts";

/** Sees from a socket's counters that a client does not read what is written to it. */
export class WriteWatch {
  private readonly socket: Socket;
  private readonly limitMs: number;
  private flushed = -1;
  private since: number | null = null;

  /** @param limitSecs seconds in which at least one byte has to go out */
  constructor(socket: Socket, limitSecs: number) {
    this.socket = socket;
    this.limitMs = limitSecs * 1000;
  }

  /** Whether bytes wait to be written and none went out for too long; asked once a second. */
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
