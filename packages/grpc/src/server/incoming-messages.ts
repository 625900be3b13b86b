import type { ServerHttp2Stream } from "node:http2";
import type { GrpcCall } from "../call/grpc-call.ts";
import { GrpcError } from "../status/grpc-error.ts";
import { FrameReader } from "./frame-reader.ts";
import { inflated } from "./inflate.ts";

/** Dependencies of `IncomingMessages`. */
export interface IncomingParts {
  readonly stream: ServerHttp2Stream;
  readonly call: GrpcCall;
  /** `grpc-encoding` of the call. */
  readonly encoding: string;
  readonly maxMessageSize: number;
}

/**
 * Reads the messages of a call on demand: until then the HTTP/2 stream is paused, and nothing is inflated. So the data that a client sends ahead
 * is bounded by the window of its stream, in bytes on the wire.
 *
 * grpc-js inflates all that arrives and keeps 16 messages of any size.
 */
export class IncomingMessages {
  private readonly parts: IncomingParts;
  private readonly frames: FrameReader = new FrameReader();
  private hasEnded = false;
  private isStopped = false;
  private wake = (): void => {};

  /** Takes over the reading of a stream that is paused. */
  constructor(parts: IncomingParts) {
    this.parts = parts;
    const { stream } = parts;
    stream.removeAllListeners("data"); // the decoder of grpc-js
    stream.on("data", (piece: Buffer) => {
      if (this.isStopped) return; // the rest of a body that is read to its end
      this.frames.add(piece);
      stream.pause();
      this.wake();
    });
    stream.on("end", () => {
      this.hasEnded = true;
      this.wake();
    });
  }

  /** The next message; `null` after the last one. @throws GrpcError of a call that has ended; a malformed message ends it */
  async next(): Promise<Buffer | null> {
    const { call, encoding, maxMessageSize } = this.parts;
    for (;;) {
      this.check();
      const frame = this.frames.take(maxMessageSize);
      if (frame instanceof GrpcError) return this.fail(frame);
      if (frame !== null) {
        if (frame.flag === 0) return frame.bytes;
        if (frame.flag > 1)
          return this.fail(new GrpcError("INTERNAL", `The message has the unknown flag ${frame.flag}`));
        const message = await inflated(frame.bytes, encoding, maxMessageSize);
        if (call.aborted !== null) throw call.aborted;
        return message instanceof GrpcError ? this.fail(message) : message;
      }
      if (this.hasEnded) return null;
      await this.more();
    }
  }

  /** Whether anything follows, such as another message or a part of one. @throws GrpcError of a call that has ended */
  async hasMore(): Promise<boolean> {
    while (this.frames.size === 0 && !this.hasEnded) await this.more();
    this.check();
    return this.frames.size > 0;
  }

  /** Whether part of a message was read. */
  get isWithinMessage(): boolean {
    return this.frames.size > 0;
  }

  /** Stops reading, because the call has ended. */
  stop(): void {
    this.isStopped = true;
    this.frames.clear();
    this.wake();
  }

  private check(): void {
    const { aborted } = this.parts.call;
    if (aborted !== null) throw aborted;
    if (this.isStopped) throw new GrpcError("CANCELLED", "The call has ended");
  }

  private fail(error: GrpcError): never {
    this.parts.call.abort(error);
    throw error;
  }

  /** Waits for a piece, the end of the body or that of the call. */
  private async more(): Promise<void> {
    this.check();
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      this.parts.stream.resume();
    });
  }
}
