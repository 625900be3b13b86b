import { WebSocketClose } from "./websocket-close.ts";

/** One message from a client. */
export interface Message {
  /** Type of the message. */
  readonly msgType: "text" | "binary";
  /** Whether it is text. */
  readonly isText: boolean;
  /** Whether it is bytes. */
  readonly isBinary: boolean;
  /** The text. Throws `WebSocketClose` 1003 for a binary message, which closes the connection unless it is caught. */
  readonly text: string;
  /** The bytes; UTF-8 for a text message. */
  readonly data: Uint8Array;
  /** Parses the text as JSON. Throws `WebSocketClose` 1007 for invalid JSON, and 1003 for a binary message. */
  json(): unknown;
}

/** A message over the received bytes; text is already validated UTF-8. */
export class ReceivedMessage implements Message {
  readonly data: Uint8Array;
  readonly isBinary: boolean;

  constructor(data: Uint8Array, isBinary: boolean) {
    this.data = data;
    this.isBinary = isBinary;
  }

  get isText(): boolean {
    return !this.isBinary;
  }

  get msgType(): "text" | "binary" {
    return this.isBinary ? "binary" : "text";
  }

  get text(): string {
    if (this.isBinary) throw new WebSocketClose(1003, "text expected");
    return Buffer.from(this.data.buffer, this.data.byteOffset, this.data.byteLength).toString("utf8");
  }

  json(): unknown {
    try {
      return JSON.parse(this.text);
    } catch (error) {
      throw WebSocketClose.is(error) ? error : new WebSocketClose(1007, "JSON expected");
    }
  }
}
