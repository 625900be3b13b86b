import type { KafkaCodec } from "../kafka-config.ts";

/** First bytes of the Java client's Snappy format: a sequence of blocks with lengths, instead of one block. */
const magic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
/** The magic bytes and two version numbers. */
const HEADER_BYTES = 16;

/** Extends a codec of raw blocks: also decompresses frames of the Java client. */
export const withSnappyFrames = (raw: KafkaCodec): KafkaCodec => ({
  compress: (bytes) => raw.compress(bytes),
  async decompress(bytes) {
    if (!magic.equals(bytes.subarray(0, magic.length))) return raw.decompress(bytes);
    const blocks: Uint8Array[] = [];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = HEADER_BYTES; at < bytes.length;) {
      const from = at + 4;
      at = from + view.getUint32(at);
      if (at > bytes.length) throw new RangeError("kafka: a Snappy frame is longer than its batch");
      blocks.push(await raw.decompress(bytes.subarray(from, at)));
    }
    return Buffer.concat(blocks);
  },
});
