import { isUtf8 } from "node:buffer";
import type protobuf from "protobufjs";
import { protobufjs } from "../libraries.ts";

/** Decoders replace invalid UTF-8 by this character; a valid string may also contain it. */
const REPLACEMENT = "\u{FFFD}";

/** A `Buffer` with a method that Node's types lack; `toString` looks up the encoding on each call. */
interface Utf8Bytes extends Uint8Array {
  utf8Slice(start: number, end: number): string;
}

type ReaderClass = new (bytes: Buffer) => protobuf.Reader;

/** Returns a reader of protobufjs that refuses truncated strings, which its own reader shortens, and invalid UTF-8, as other implementations do. */
export const strictReader = (bytes: Uint8Array): protobuf.Reader => {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new (created ??= strictReaderClass())(buffer);
};

let created: ReaderClass | undefined;

const strictReaderClass = (): ReaderClass =>
  class StrictReader extends protobufjs().BufferReader {
    override string(): string {
      const length = this.uint32();
      const start = this.pos;
      const end = start + length;
      if (end > this.len)
        throw new RangeError(`text of ${length} bytes at ${start}, of which ${this.len - start} are there`);
      const { buf } = this as unknown as { readonly buf: Utf8Bytes };
      const text = buf.utf8Slice(start, end);
      if (text.includes(REPLACEMENT) && !isUtf8(buf.subarray(start, end)))
        throw new TypeError(`text of ${length} bytes at ${start} that is not UTF-8`);
      this.pos = end;
      return text;
    }
  };
