/** A connection whose client has requested its close. */
export interface ClosesPromptly {
  /** Closes the connection, unless more bytes have arrived. */
  closePromptly(): void;
}

/**
 * Closes connections after one more turn of the event loop, in which newly arrived bytes are read. A socket that is closed with unread bytes
 * sends a reset, which can destroy the reply.
 *
 * A client that requested the close sends nothing more (RFC 9112 9.6), so a lingering close, which waits for the client's close, is not needed.
 */
export class PromptClose {
  private waiting: ClosesPromptly[] = [];
  private due: ClosesPromptly[] = [];

  add(connection: ClosesPromptly): void {
    if (this.waiting.push(connection) === 1) setImmediate(this.beginTurn);
  }

  private readonly beginTurn = (): void => {
    this.due = this.waiting; // the previous connections are already closed: their immediate was set earlier
    this.waiting = [];
    setImmediate(this.endTurn);
  };

  private readonly endTurn = (): void => {
    const { due } = this;
    this.due = [];
    for (const connection of due) connection.closePromptly();
  };
}
