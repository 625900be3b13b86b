import type { ServerHttp2Stream } from "node:http2";
import type { BodySink } from "@framework/core/feature";

/** Up to this many bytes are copied, rather than to wait until they have been written. */
const COPIED_BYTES = 4096;

/** A stream as the destination of a long body. */
export class StreamSink implements BodySink {
  private readonly stream: ServerHttp2Stream;
  private readonly wrote: (bytes: number) => void;

  /** @param wrote called with the bytes of each write */
  constructor(stream: ServerHttp2Stream, wrote: (bytes: number) => void) {
    this.stream = stream;
    this.wrote = wrote;
  }

  write(bytes: Uint8Array, taken: (error?: Error | null) => void): boolean {
    if (bytes.byteLength === 0) return true; // the head is sent already, and an empty frame says nothing
    this.wrote(bytes.byteLength);
    if (bytes.byteLength <= COPIED_BYTES) return this.stream.write(Buffer.from(bytes));
    this.stream.write(bytes, taken);
    return false;
  }

  end(): void {
    this.stream.end();
  }

  on(_event: "drain", listener: () => void): void {
    this.stream.on("drain", listener);
  }
}
