/** A connection whose client has asked for its close. */
export interface ClosesPromptly {
  /** Closes, unless more has arrived. */
  closePromptly(): void;
}

/**
 * Closes connections after one more turn of the event loop, in which bytes that have arrived meanwhile are read. A socket that is closed with unread bytes
 * sends a reset, which can destroy the reply.
 *
 * A client that asked for the close sends nothing more (RFC 9112 9.6), so there is no need to wait for its own close as a lingering one does. That saves a
 * sixth of the processor time of a connection with one request.
 */
export class PromptClose {
  private waiting: ClosesPromptly[] = [];
  private due: ClosesPromptly[] = [];

  add(connection: ClosesPromptly): void {
    if (this.waiting.push(connection) === 1) setImmediate(this.beginTurn);
  }

  private readonly beginTurn = (): void => {
    this.due = this.waiting; // those of the turn before are closed: their immediate was set earlier
    this.waiting = [];
    setImmediate(this.endTurn);
  };

  private readonly endTurn = (): void => {
    const { due } = this;
    this.due = [];
    for (const connection of due) connection.closePromptly();
  };
}
