// kafkajs crashes the whole consumer at a batch that it cannot decompress, without naming the partition. Therefore such a batch is decoded as marked records.

/** Header that marks a record of a batch that could not be decompressed. Its value is the codec and the reason. */
export const UNREADABLE = "framework-kafka-unreadable";

/**
 * Returns a replacement for a decompressed batch: a buffer that repeats one marked record without end, because the number of records is in the batch header.
 *
 * The offsets are far beyond the fetch position, because kafkajs drops messages with lower offsets than that.
 */
export const unreadableBatch = (why: string): unknown => {
  const record = markedRecord(why);
  return new Proxy(record, {
    get(target, name) {
      if (name === "slice") return (from: number, to: number) => sliceOf(target, from, to);
      if (typeof name === "string" && /^\d+$/.test(name)) return target[Number(name) % target.length];
      return Reflect.get(target, name) as unknown;
    },
  });
};

const sliceOf = (record: Buffer, from: number, to: number): Buffer => {
  const at = from % record.length;
  return record.subarray(at, at + to - from);
};

/** One record with a length prefix, in record format version 2. */
const markedRecord = (why: string): Buffer => {
  const content = Buffer.concat([
    Buffer.from([0]), // attributes
    varint(0), // timestamp
    varint(1_000_000_000), // offset relative to the batch
    varint(-1), // no key
    varint(-1), // no value
    varint(1), // headers
    text(UNREADABLE),
    text(why),
  ]);
  return Buffer.concat([varint(content.length), content]);
};

const text = (value: string): Buffer => Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)]);

/** Encodes a number as a zigzag varint. */
const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
};
