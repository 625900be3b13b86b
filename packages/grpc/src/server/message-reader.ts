import { GrpcError } from "../status/grpc-error.ts";

/** Bytes of the prefix of a message: a flag and the length. */
const PREFIX = 5;

const nothing: Buffer = Buffer.alloc(0);

/** Reads the single message of a unary call from the pieces of its body. A message that arrives in one piece, as most do, is not copied. */
export class MessageReader {
  private bytes: Buffer = nothing;
  private filled = 0;

  /** Adds a piece. Returns the error that refuses the call, or `null`. @param maxBytes maximum size of the message */
  add(piece: Buffer, maxBytes: number): GrpcError | null {
    if (this.filled === 0) this.bytes = piece;
    else this.append(piece);
    this.filled += piece.length;
    return this.problem(maxBytes);
  }

  /** Returns the message once the body has ended, or the error that refuses the call. */
  end(): Buffer | GrpcError {
    if (this.filled === 0) return new GrpcError("UNIMPLEMENTED", "The call has no message");
    if (this.filled < PREFIX || this.filled < PREFIX + this.bytes.readUInt32BE(1))
      return new GrpcError("INTERNAL", "The message is incomplete");
    return this.bytes.subarray(PREFIX, this.filled);
  }

  private append(piece: Buffer): void {
    const needed = this.filled + piece.length;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length)); // doubles, so many small pieces take linear time
      this.bytes.copy(larger, 0, 0, this.filled);
      this.bytes = larger;
    }
    piece.copy(this.bytes, this.filled);
  }

  private problem(maxBytes: number): GrpcError | null {
    const { bytes, filled } = this;
    if (filled > 0 && bytes[0] !== 0)
      return new GrpcError("INTERNAL", "The message is compressed without a grpc-encoding");
    if (filled < PREFIX) return null;
    const length = bytes.readUInt32BE(1);
    if (length > maxBytes)
      return new GrpcError(
        "RESOURCE_EXHAUSTED",
        `Received message larger than max (${length} vs. ${maxBytes})`,
      );
    return filled > PREFIX + length
      ? new GrpcError("UNIMPLEMENTED", "The call has more than one message")
      : null;
  }
}

/** Returns a message with its prefix. */
export const frameMessage = (message: Buffer): Buffer => {
  const frame = Buffer.allocUnsafe(PREFIX + message.length);
  frame[0] = 0; // not compressed
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, PREFIX);
  return frame;
};
