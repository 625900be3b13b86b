import type { Socket } from "../../exchange/socket.ts";

/**
 * Bytes and time that a closing connection may still send. Many clients read an answer only when all of their body is on its way: a refused
 * upload of some megabytes is told so at once, and an endless one costs no more than a few large requests.
 */
const lingerBytes = 8_388_608;
const lingerMs = 2000;

/**
 * The end of a connection: half-closed, it reads a bounded rest away and then no more, so that no reset destroys the answer before the client has
 * read it. A reset it is at last for a client that still sends when its time is up.
 */
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

  /** Whether the client sends more than is read away. */
  isTooLong(): boolean {
    return this.socket.bytesRead - this.from > lingerBytes;
  }
}
