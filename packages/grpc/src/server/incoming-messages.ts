import type { ServerHttp2Stream } from "node:http2";
import type { GrpcCall } from "../call/grpc-call.ts";
import { GrpcError } from "../status/grpc-error.ts";
import { FrameReader } from "./frame-reader.ts";
import { inflateMessage } from "./inflate.ts";

/** Dependencies of `IncomingMessages`. */
export interface IncomingParts {
  readonly stream: ServerHttp2Stream;
  readonly call: GrpcCall;
  /** `grpc-encoding` of the call. */
  readonly encoding: string;
  readonly maxMessageSize: number;
}

/**
 * Reads the messages of a call on demand: until then the HTTP/2 stream is paused, and nothing is inflated. The window of the stream therefore limits how
 * many bytes a client can send before its handler reads.
 *
 * grpc-js itself inflates messages as they arrive, and buffers 16 messages of any size.
 */
export class IncomingMessages {
  private readonly parts: IncomingParts;
  private readonly frames: FrameReader = new FrameReader();
  private hasEnded = false;
  private isStopped = false;
  private wake = (): void => {};

  /** Takes over a paused stream from grpc-js. */
  constructor(parts: IncomingParts) {
    this.parts = parts;
    const { stream } = parts;
    stream.removeAllListeners("data"); // the decoder of grpc-js
    stream.on("data", (piece: Buffer) => {
      if (this.isStopped) return; // the rest of the body is drained
      this.frames.add(piece);
      stream.pause();
      this.wake();
    });
    stream.on("end", () => {
      this.hasEnded = true;
      this.wake();
    });
  }

  /** Returns the next message; `null` after the last one. A malformed message aborts the call. @throws GrpcError of a call that has ended */
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
        const message = await inflateMessage(frame.bytes, encoding, maxMessageSize);
        if (call.aborted !== null) throw call.aborted;
        return message instanceof GrpcError ? this.fail(message) : message;
      }
      if (this.hasEnded) return null;
      await this.waitForData();
    }
  }

  /** Whether more bytes follow. @throws GrpcError of a call that has ended */
  async hasMore(): Promise<boolean> {
    while (this.frames.size === 0 && !this.hasEnded) await this.waitForData();
    this.check();
    return this.frames.size > 0;
  }

  /** Whether bytes are buffered. Once `next` has returned `null`, they belong to an incomplete message. */
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

  /** Waits for a piece of the body, its end, or the end of the call. */
  private async waitForData(): Promise<void> {
    this.check();
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      this.parts.stream.resume();
    });
  }
}
