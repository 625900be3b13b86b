// kafkajs ends the whole consumer at a batch that it cannot decompress, without the partition. So such a batch is decoded as records that say so.

/** Name of the header that marks a record of a batch that could not be decompressed; its value is the codec, and why. */
export const UNREADABLE = "framework-kafka-unreadable";

/**
 * Returns what kafkajs decodes instead of the decompressed batch: as many records with the mark as it asks for.
 *
 * Their offsets are behind every wanted one, so that the driver does not drop them as messages from before the fetch.
 */
export const endlessRecords = (why: string): unknown => {
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

/** One record, with its length before it: the format of messages, version 2. */
const markedRecord = (why: string): Buffer => {
  const content = Buffer.concat([
    Buffer.from([0]), // attributes
    varint(0), // time
    varint(1_000_000_000), // offset, from the first one of the batch
    varint(-1), // no key
    varint(-1), // no value
    varint(1), // headers
    text(UNREADABLE),
    text(why),
  ]);
  return Buffer.concat([varint(content.length), content]);
};

const text = (value: string): Buffer => Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)]);

/** A number in zigzag encoding. */
const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
};
