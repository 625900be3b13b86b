import type { ServerHttp2Stream } from "node:http2";
import type { BodySink } from "@framework/core/feature";

/** Chunks up to this size are copied, instead of waiting until they are written. */
const MAX_COPIED_BYTES = 4096;

/** Writes a long body to a stream. */
export class StreamSink implements BodySink {
  private readonly stream: ServerHttp2Stream;
  private readonly onWrite: (bytes: number) => void;

  /** @param onWrite called with the bytes of each write */
  constructor(stream: ServerHttp2Stream, onWrite: (bytes: number) => void) {
    this.stream = stream;
    this.onWrite = onWrite;
  }

  write(bytes: Uint8Array, onWritten: (error?: Error | null) => void): boolean {
    if (bytes.byteLength === 0) return true; // the head is already sent, and an empty frame has no effect
    this.onWrite(bytes.byteLength);
    if (bytes.byteLength <= MAX_COPIED_BYTES) return this.stream.write(Buffer.from(bytes));
    this.stream.write(bytes, onWritten);
    return false;
  }

  end(): void {
    this.stream.end();
  }

  on(_event: "drain", listener: () => void): void {
    this.stream.on("drain", listener);
  }
}
