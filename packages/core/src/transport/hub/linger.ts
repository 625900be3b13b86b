import type { Socket } from "../../exchange/socket.ts";

/**
 * Limits in bytes and milliseconds for further input of a closing connection. Many clients read the reply only after they have sent their whole body: the
 * client of a rejected upload of some megabytes gets its reply, and an unbounded upload costs no more than a few large requests.
 */
const LINGER_BYTES = 8_388_608;
const LINGER_MS = 2000;

/**
 * Lingering close: the socket is half-closed and discards a bounded amount of further input, so that no reset destroys the reply before the client has read it.
 * A client that is still sending at the deadline gets a reset.
 */
export class Linger {
  private readonly socket: Socket;
  private readonly since: number;
  private readonly from: number;

  /** Half-closes the socket. */
  constructor(socket: Socket, now: number) {
    this.socket = socket;
    this.since = now;
    this.from = socket.bytesRead;
    socket.end();
  }

  /** Whether the deadline has passed. */
  isLate(now: number): boolean {
    return now - this.since >= LINGER_MS;
  }

  /** Whether the client has sent more than `LINGER_BYTES`. */
  isTooLong(): boolean {
    return this.socket.bytesRead - this.from > LINGER_BYTES;
  }
}
