import { promisify } from "node:util";
import { gzip as gzipCompress, unzip, zstdCompress, zstdDecompress } from "node:zlib";
import { messageOf } from "@framework/core/feature";
import type { KafkaCodec, KafkaCodecs, KafkaCompression } from "../kafka-config.ts";
import { withSnappyFrames } from "./snappy-frames.ts";
import { unreadableBatch } from "./unreadable-records.ts";

/** Maximum characters of a codec's error message in the reported reason. */
const MAX_REASON = 300;

/** The module of kafkajs with its codec registry. */
interface Registry {
  readonly CompressionCodecs: object;
}

/** Compression types of the Kafka protocol. */
export const compressionTypes: Readonly<Record<KafkaCompression, number>> = {
  none: 0,
  gzip: 1,
  snappy: 2,
  lz4: 3,
  zstd: 4,
};

/** Limits decompression to 64 MiB: a batch of megabytes can expand to gigabytes. */
const limit = { maxOutputLength: 67_108_864 };
const [toGzip, fromGzip] = [promisify(gzipCompress), promisify(unzip)];
const [toZstd, fromZstd] = [promisify(zstdCompress), promisify(zstdDecompress)];
const gzip: KafkaCodec = {
  compress: (bytes) => toGzip(bytes),
  decompress: (bytes) => fromGzip(bytes, limit),
};
const zstd: KafkaCodec = {
  compress: (bytes) => toZstd(bytes),
  decompress: (bytes) => fromZstd(bytes, limit),
};

/**
 * Registers the codecs of Node, and marks snappy and lz4 as missing. A missing or failing codec decodes to marked records, so that only the partition of the
 * batch is paused.
 */
export const registerCodecs = (module: Registry): void => {
  register(module, "gzip", gzip);
  register(module, "zstd", zstd);
  for (const name of ["snappy", "lz4"] as const) register(module, name, null);
};

/** Registers the codecs of `KafkaConfig.codecs`. They apply to the whole process, because kafkajs has one registry. */
export const registerConfiguredCodecs = (module: Registry, { snappy, lz4 }: KafkaCodecs): void => {
  if (snappy !== undefined) register(module, "snappy", withSnappyFrames(snappy));
  if (lz4 !== undefined) register(module, "lz4", lz4);
};

/** Registers a codec; `null` marks it as missing. */
export const register = (
  { CompressionCodecs }: Registry,
  name: Exclude<KafkaCompression, "none">,
  codec: KafkaCodec | null,
): void => {
  const registered = {
    async compress(encoder: { readonly buffer: Uint8Array }): Promise<Uint8Array> {
      if (codec === null)
        throw new TypeError(`kafka: there is no codec for ${name}; pass codecs: { ${name} } to KafkaConfig`);
      return asBuffer(await codec.compress(encoder.buffer));
    },
    async decompress(bytes: Uint8Array): Promise<unknown> {
      if (codec === null) return unreadableBatch(`${name}; pass codecs: { ${name} } to KafkaConfig`);
      try {
        return asBuffer(await codec.decompress(bytes));
      } catch (error) {
        return unreadableBatch(`${name}, and its codec failed: ${messageOf(error).slice(0, MAX_REASON)}`);
      }
    },
  };
  Reflect.set(CompressionCodecs, compressionTypes[name], () => registered);
};

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
