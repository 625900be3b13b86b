import type { ServerSocket } from "@framework/websocket";

/** Maximum number of queued characters; above it the connection is not read. */
const MAX_WAITING = 1_048_576;

/**
 * Sends the messages of one connection one after the other: the send queue of a socket accepts one message of any size, but not two. The queue is bounded:
 * an operation waits until its message is sent, and the connection is not read until `room` resolves.
 */
export class Outbox {
  private readonly socket: Pick<ServerSocket, "sendText">;
  /** Resolves when the last message is sent; `null` if none is being sent. Never rejects. */
  private last: Promise<void> | null = null;
  private waiting = 0;

  constructor(socket: Pick<ServerSocket, "sendText">) {
    this.socket = socket;
  }

  /** Sends immediately if no message is being sent, otherwise after all queued messages. @throws WEBSOCKET_CLOSED */
  send(text: string): Promise<void> {
    const sent = this.last === null ? this.socket.sendText(text) : this.sendAfter(this.last, text);
    const last = sent
      .catch(() => {}) // the sender gets the error; the next message fails with its own
      .then(() => {
        if (this.last === last) this.last = null;
      });
    this.last = last;
    return sent;
  }

  private async sendAfter(last: Promise<void>, text: string): Promise<void> {
    this.waiting += text.length;
    await last;
    this.waiting -= text.length;
    await this.socket.sendText(text);
  }

  /** Resolves when all queued messages are sent; `null` if at most `MAX_WAITING` characters are queued. Never rejects. */
  room(): Promise<void> | null {
    return this.waiting > MAX_WAITING ? this.last : null;
  }
}
