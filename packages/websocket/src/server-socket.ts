import type { Message } from "./message.ts";

/** Why and how a connection ended. */
export interface Closed {
  /** Code of the close frame; 1005 when it had none, 1006 when the connection broke without one. */
  readonly code: number;
  readonly reason: string;
}

/** One WebSocket connection, as its handler sees it; `Each` is what handlers of single messages get after the message. */
export interface ServerSocket<
  T = unknown,
  Each extends readonly unknown[] = readonly [],
> extends AsyncIterable<Message> {
  /** Unique over all workers. */
  readonly id: string;
  /** The sub-protocol that was agreed on, or `""`. */
  readonly protocol: string;
  readonly connected: boolean;
  /** Aborts when the connection has ended: for what the handler does meanwhile. */
  readonly signal: AbortSignal;
  /** How the connection ended; `null` while it is open. */
  readonly closed: Closed | null;
  /** Bytes that were sent and that the client has not taken yet. */
  readonly bufferedBytes: number;

  /**
   * Sends a text message.
   *
   * Resolves at once while little is waiting to be taken by the client, else when the message has left: who awaits it never runs ahead of a slow client.
   * What would make more than `maxSendQueueBytes` wait closes the connection with 1013.
   *
   * @throws WEBSOCKET_CLOSED when the connection has ended, or ends before the message has left
   */
  sendText(text: string): Promise<void>;
  /** Sends a binary message; otherwise as `sendText`. The bytes must not change before it resolves. */
  sendBinary(data: Uint8Array): Promise<void>;
  /** Sends a value as JSON in a text message. */
  sendJson(value: unknown): Promise<void>;
  /** Sends a message on, text or binary as it is. */
  send(message: string | Uint8Array | Message): Promise<void>;

  /** The next message; `null` once the connection has ended and everything that arrived was taken, and for ever after. */
  recv(): Promise<Message | null>;
  /** Text of the next message, or `null`. @throws WebSocketClose 1003 for a binary one */
  receiveText(): Promise<string | null>;
  /**
   * The next message as JSON, checked by the route's `message` schema where there is one; `null` at the end.
   *
   * @throws WebSocketClose 1007 for what is no JSON, 1008 for what the schema refuses, 1003 for binary
   */
  receiveJson(): Promise<T | null>;
  /**
   * Handles messages one after the other, each in an invocation of its own: `Depends` is open, and the route's `injectEach` is made for this message
   * and disposed of after it. Resolves at the end of the connection; what the handler throws ends the loop.
   */
  each(handler: (message: Message, ...dependencies: Each) => unknown): Promise<void>;
  /** As `each`, with messages as `receiveJson` gives them. @throws as `receiveJson` */
  eachJson(handler: (value: T, ...dependencies: Each) => unknown): Promise<void>;

  /** Closes; resolves when the connection has ended, at the latest after `closeWaitSecs`. @throws WEBSOCKET_BAD_CLOSE_CODE */
  close(code?: number, reason?: string): Promise<void>;

  /** Joins a room; `app.room(name)` sends to all in it, in every worker. @throws WEBSOCKET_TOO_MANY_ROOMS above 100 */
  join(room: string): void;
  /** Leaves a room; at its end a connection leaves all. */
  leave(room: string): void;
}
