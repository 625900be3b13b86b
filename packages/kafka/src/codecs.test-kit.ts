import type { KafkaCodec } from "./index.ts";

/** Longest literal with a two-byte length. */
const LITERAL_BYTES = 65_536;
const TWO_BYTE_LENGTH = 61 << 2;

/** Snappy codec that writes raw blocks of literals, without compression. */
export const storedSnappyCodec: KafkaCodec = {
  compress(bytes) {
    const parts: Uint8Array[] = [varint(bytes.length)];
    for (let at = 0; at < bytes.length; at += LITERAL_BYTES) {
      const literal = bytes.subarray(at, at + LITERAL_BYTES);
      const last = literal.length - 1;
      parts.push(Uint8Array.of(TWO_BYTE_LENGTH, last & 255, last >> 8), literal);
    }
    return Buffer.concat(parts);
  },
  decompress(bytes) {
    const parts: Uint8Array[] = [];
    let at = bytes.findIndex((byte) => byte < 128) + 1; // after the uncompressed length
    while (at < bytes.length) {
      const [tag, low = 0, high = 0] = bytes.subarray(at);
      if (tag !== TWO_BYTE_LENGTH) throw new RangeError("another codec wrote this block");
      const end = at + 3 + low + (high << 8) + 1;
      parts.push(bytes.subarray(at + 3, end));
      at = end;
    }
    return Buffer.concat(parts);
  },
};

const varint = (value: number): Uint8Array => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Uint8Array.from([...bytes, rest]);
};

/** Magic bytes, flags for independent blocks of at most 64 KiB, and the header checksum. */
const lz4Header = Buffer.from("04224d18604082", "hex");
const STORED = 0x8000_0000;

/** LZ4 codec that writes frames with one uncompressed block. */
export const storedLz4Codec: KafkaCodec = {
  compress(bytes) {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(STORED + bytes.length);
    return Buffer.concat([lz4Header, size, bytes, Buffer.alloc(4)]);
  },
  decompress: (bytes) => bytes.subarray(lz4Header.length + 4, -4),
};
