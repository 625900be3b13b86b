import { GrpcError } from "../status/grpc-error.ts";

/** A received message, which may be compressed. */
export interface Frame {
  /** The first byte: 1 for a compressed message. */
  readonly flag: number;
  readonly bytes: Buffer;
}

/** Bytes of the prefix of a message: a flag and the length. */
const PREFIX = 5;

const nothing: Buffer = Buffer.alloc(0);

/** Splits the body of a call into messages. */
export class FrameReader {
  private bytes: Buffer = nothing;
  private start = 0;
  private filled = 0;

  /** Bytes not yet returned as part of a message. */
  get size(): number {
    return this.filled - this.start;
  }

  /** Adds a piece of the body. The buffer doubles as it grows, so adding many small pieces takes linear time. */
  add(piece: Buffer): void {
    const { size } = this;
    if (size === 0) {
      this.bytes = piece;
      this.start = 0;
      this.filled = piece.length;
      return;
    }
    if (this.filled + piece.length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size + piece.length, 2 * size));
      this.bytes.copy(larger, 0, this.start, this.filled);
      this.bytes = larger;
      this.start = 0;
      this.filled = size;
    }
    piece.copy(this.bytes, this.filled);
    this.filled += piece.length;
  }

  /** Removes and returns the first message; returns `null` if it is incomplete, or an error if it is larger than the limit. */
  take(maxBytes: number): Frame | GrpcError | null {
    const { bytes, start, size } = this;
    if (size < PREFIX) return null;
    const length = bytes.readUInt32BE(start + 1);
    if (length > maxBytes)
      return new GrpcError(
        "RESOURCE_EXHAUSTED",
        `Received message larger than max (${length} vs. ${maxBytes})`,
      );
    if (size < PREFIX + length) return null;
    const message = bytes.subarray(start + PREFIX, start + PREFIX + length);
    const flag = bytes[start] ?? 0;
    this.start += PREFIX + length;
    if (this.size > 0) return { flag, bytes: Buffer.from(message) }; // copied, so that a retained message does not retain the whole buffer
    this.clear();
    return { flag, bytes: message };
  }

  /** Drops all buffered bytes. */
  clear(): void {
    this.bytes = nothing;
    this.start = 0;
    this.filled = 0;
  }
}
