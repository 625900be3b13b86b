import { type BodySink, COPIED_BYTES } from "../wire/body-writer.ts";
import type { Socket } from "../../exchange/socket.ts";

/** Writes the bytes of one long or streamed body to a socket, chunked (RFC 9112 7.1) or unframed. */
export class FastBodySink implements BodySink {
  private readonly socket: Socket;
  private readonly chunked: boolean;
  private readonly whenEnded: () => void;
  private drainListener: () => void = ignore;

  constructor(socket: Socket, chunked: boolean, whenEnded: () => void) {
    this.socket = socket;
    this.chunked = chunked;
    this.whenEnded = whenEnded;
  }

  write(bytes: Uint8Array, taken: (error?: Error | null) => void): boolean {
    const { socket } = this;
    if (bytes.byteLength === 0) return true; // an empty chunk would end the body
    if (!this.chunked) return socket.write(bytes, taken) && socket.writableLength === 0;
    const size = `${bytes.byteLength.toString(16)}\r\n`;
    if (bytes.byteLength <= COPIED_BYTES) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
      return socket.write(`${size}${text}\r\n`, "latin1"); // one write for the chunk and its framing, which copies the bytes
    }
    socket.cork();
    socket.write(size, "latin1");
    socket.write(bytes);
    const hasRoom = socket.write("\r\n", "latin1", taken);
    socket.uncork();
    return hasRoom && socket.writableLength === 0;
  }

  end(): void {
    if (this.chunked) this.socket.write("0\r\n\r\n", "latin1");
    this.whenEnded();
  }

  on(_event: "drain", listener: () => void): void {
    this.drainListener = listener;
  }

  /** Must be called when the socket's buffer has room again. */
  drain(): void {
    this.drainListener();
  }
}

const ignore = (): void => {};
