import { isUtf8 } from "node:buffer";
import type protobuf from "protobufjs";
import { protobufjs } from "../libraries.ts";

/** Decoders replace invalid UTF-8 with this character; a valid string may also contain it. */
const REPLACEMENT = "\u{FFFD}";

/** A `Buffer` with `utf8Slice`, which Node's types lack. It saves the encoding lookup of `toString`: about 5 ns for a short string (measured on Node 26). */
interface Utf8Bytes extends Uint8Array {
  utf8Slice(start: number, end: number): string;
}

type ReaderClass = new (bytes: Buffer) => protobuf.Reader;

/**
 * Returns a protobufjs reader that, like other implementations, rejects truncated strings and invalid UTF-8. The reader of protobufjs shortens a truncated
 * string and replaces invalid bytes.
 */
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
        throw new RangeError(
          `truncated string at byte ${start}: length ${length}, but only ${this.len - start} bytes are left`,
        );
      const { buf } = this as unknown as { readonly buf: Utf8Bytes };
      const text = buf.utf8Slice(start, end);
      if (text.includes(REPLACEMENT) && !isUtf8(buf.subarray(start, end)))
        throw new TypeError(`the string of ${length} bytes at byte ${start} is not valid UTF-8`);
      this.pos = end;
      return text;
    }
  };
