import type { Message } from "./message.ts";
import type { Bytes } from "./message-data.ts";

/** Code and reason of a connection's end. */
export interface Closed {
  /** Code of the close frame; 1005 when it had none, 1006 when the connection broke without one. */
  readonly code: number;
  /** Reason of the close frame; empty without one. */
  readonly reason: string;
}

/** One WebSocket connection, as its handler sees it; `Each` are the further arguments of per-message handlers. */
export interface ServerSocket<
  T = unknown,
  Each extends readonly unknown[] = readonly [],
> extends AsyncIterable<Message> {
  /** Unique across all workers. */
  readonly id: string;
  /** The negotiated sub-protocol, or `""`. */
  readonly protocol: string;
  /** Whether messages can be sent. */
  readonly connected: boolean;
  /** Aborts when the connection has ended, to cancel the handler's work. */
  readonly signal: AbortSignal;
  /** How the connection ended; `null` while it is open. */
  readonly closed: Closed | null;
  /** Bytes sent but not yet received by the client. */
  readonly bufferedBytes: number;

  /**
   * Sends a text message.
   *
   * Resolves at once while little is queued, else when the message has been written: a handler that awaits it never runs ahead of a slow client.
   * Queueing more than `maxSendQueueBytes` closes the connection with 1013; one message may be larger if at most 64 KiB are queued, as for a sender that
   * awaits. A message larger than the queue does not count against other sends until it is written.
   *
   * @throws WEBSOCKET_CLOSED when the connection has ended, or ends before the message has been written; WEBSOCKET_BAD_MESSAGE for anything but a string
   */
  sendText(text: string): Promise<void>;
  /**
   * Sends a binary message; otherwise as `sendText`. The bytes of a view, whatever its elements. They must not change before it resolves: above 4 KiB, and
   * on a connection that compresses, it resolves at once only if they have been written at once.
   *
   * @throws WEBSOCKET_BAD_MESSAGE for anything but bytes
   */
  sendBinary(data: Bytes): Promise<void>;
  /**
   * Sends a value as JSON in a text message.
   *
   * @throws WEBSOCKET_NO_JSON with the path of a value that JSON cannot express; under debug also of one that JSON loses, such as a promise or a `Set`
   */
  sendJson(value: unknown): Promise<void>;
  /** Forwards a message, as text or binary. @throws WEBSOCKET_BAD_MESSAGE */
  send(message: string | Bytes | Message): Promise<void>;

  /** Returns the next message; always `null` once the connection has ended and all received messages are consumed. */
  recv(): Promise<Message | null>;
  /** Returns the text of the next message, or `null`. @throws WebSocketClose 1003 for a binary one */
  receiveText(): Promise<string | null>;
  /**
   * Returns the next message as JSON, validated by the route's `message` schema, if any; `null` at the end.
   *
   * @throws WebSocketClose 1007 for invalid JSON, 1008 for a schema mismatch, 1003 for binary
   */
  receiveJson(): Promise<T | null>;
  /**
   * Handles messages one at a time, each in its own invocation: `Depends` is enabled, and the route's `injectEach` is created for this message
   * and disposed of after it. Resolves at the end of the connection; an error of the handler ends the loop.
   */
  each(handler: (message: Message, ...dependencies: Each) => unknown): Promise<void>;
  /** Like `each`, with messages from `receiveJson`. @throws as `receiveJson` */
  eachJson(handler: (value: T, ...dependencies: Each) => unknown): Promise<void>;

  /**
   * Closes; resolves when the connection has ended, at the latest after `closeWaitSecs`. Messages that still arrive are received until the queue is full; the
   * first that does not fit and all after it are dropped.
   *
   * @throws WEBSOCKET_BAD_CLOSE_CODE
   */
  close(code?: number, reason?: string): Promise<void>;

  /** Joins a room; `app.room(name)` sends to its members in every worker. @throws WEBSOCKET_TOO_MANY_ROOMS above 100 */
  join(room: string): void;
  /** Leaves a room; a connection leaves all rooms at its end. */
  leave(room: string): void;
}
