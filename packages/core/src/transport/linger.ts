import type { Socket } from "./node-socket.ts";

/** Bytes and time that a closing connection may still send. */
const lingerBytes = 65_536;
const lingerMs = 2000;

/** The end of a connection: half-closed, it reads a bounded rest away, so that no reset destroys the answer before the client has read it. */
export class Linger {
  private readonly socket: Socket;
  private readonly since: number;
  private readonly from: number;

  /** Half-closes. */
  constructor(socket: Socket, now: number) {
    this.socket = socket;
    this.since = now;
    this.from = socket.bytesRead;
    socket.end();
  }

  /** Whether the client had its time. */
  isLate(now: number): boolean {
    return now - this.since >= lingerMs;
  }

  /** Whether the client sends more than it may. */
  isTooLong(): boolean {
    return this.socket.bytesRead - this.from > lingerBytes;
  }
}
