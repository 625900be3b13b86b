import type { Message } from "./message.ts";
import type { Bytes } from "./message-data.ts";

/** Code and reason of a connection's end. */
export interface CloseInfo {
  /** Code of the close frame; 1005 for a close frame without a code, 1006 if the connection broke without a close frame. */
  readonly code: number;
  /** Reason of the close frame; `""` without one. */
  readonly reason: string;
}

/** One WebSocket connection; `Each` are the further arguments of per-message handlers. */
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
  /** Aborts when the connection has ended. */
  readonly signal: AbortSignal;
  /** Code and reason of the end; `null` until the connection has ended. */
  readonly closed: CloseInfo | null;
  /** Bytes queued for the client, which the system has not accepted yet. */
  readonly bufferedBytes: number;

  /**
   * Sends a text message.
   *
   * Resolves immediately while at most 64 KiB are queued, otherwise when the message has been written: a handler that awaits it waits for a slow client.
   * Queueing more than `maxSendQueueBytes` closes the connection with 1013; one message may be larger if at most 64 KiB are queued, as for a sender that
   * awaits. A message larger than the queue does not count against other sends while it is being written.
   *
   * @throws WEBSOCKET_CLOSED when the connection has ended, or ends before the message has been written; WEBSOCKET_BAD_MESSAGE for a value that is not a string
   */
  sendText(text: string): Promise<void>;
  /**
   * Sends a binary message, with the limits of `sendText`. A view is sent as its bytes. They must not change until the promise resolves: above 4 KiB, and on a
   * connection with compression, it resolves when they have been written.
   *
   * @throws WEBSOCKET_CLOSED like `sendText`; WEBSOCKET_BAD_MESSAGE for a value that is not bytes
   */
  sendBinary(data: Bytes): Promise<void>;
  /**
   * Sends a value as JSON in a text message.
   *
   * @throws WEBSOCKET_CLOSED like `sendText`; WEBSOCKET_NO_JSON with the path of a value that JSON cannot express, or under debug of a value that JSON loses,
   * such as a promise or a `Set`
   */
  sendJson(value: unknown): Promise<void>;
  /**
   * Sends a string as text, bytes as binary, and a received message with its type.
   *
   * @throws WEBSOCKET_CLOSED like `sendText`; WEBSOCKET_BAD_MESSAGE for other values
   */
  send(message: string | Bytes | Message): Promise<void>;

  /** Returns the next message; always `null` once the connection has ended and all received messages are consumed. */
  recv(): Promise<Message | null>;
  /** Returns the text of the next message, or `null`. @throws WebSocketClose 1003 for a binary message */
  receiveText(): Promise<string | null>;
  /**
   * Returns the next message as JSON, validated by the route's `message` schema, if any; `null` at the end.
   *
   * @throws WebSocketClose 1007 for invalid JSON, 1008 for a schema mismatch, 1003 for a binary message
   */
  receiveJson(): Promise<T | null>;
  /**
   * Handles messages one after the other, each in its own invocation: `Depends` is enabled, and the dependencies of `injectEach` are created for this
   * message and disposed of after it. Resolves at the end of the connection; an error of the handler ends the loop.
   */
  each(handler: (message: Message, ...dependencies: Each) => unknown): Promise<void>;
  /** Like `each`, with the values of `receiveJson`. @throws like `receiveJson` */
  eachJson(handler: (value: T, ...dependencies: Each) => unknown): Promise<void>;

  /**
   * Closes the connection; resolves when it has ended, at the latest after `closeWaitSecs`. Messages that still arrive are queued until the queue is full; the
   * first message that does not fit and all later ones are dropped.
   *
   * @throws WEBSOCKET_BAD_CLOSE_CODE, and WEBSOCKET_BAD_MESSAGE for a reason that is not a string
   */
  close(code?: number, reason?: string): Promise<void>;

  /** Joins a room; `app.room(name)` sends to its members in every worker. @throws WEBSOCKET_BAD_ROOM, and WEBSOCKET_TOO_MANY_ROOMS above 100 */
  join(room: string): void;
  /** Leaves a room; a connection leaves all rooms at its end. */
  leave(room: string): void;
}
