import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { KafkaCodec, KafkaCodecs, KafkaCompression } from "../kafka-config.ts";
import { withSnappyFrames } from "./snappy-frames.ts";
import { endlessRecords } from "./unreadable-records.ts";

/** Where the driver looks codecs up. */
interface Registry {
  readonly CompressionCodecs: object;
}

/** Numbers of the protocol. */
export const compressionTypes: Readonly<Record<KafkaCompression, number>> = {
  none: 0,
  gzip: 1,
  snappy: 2,
  lz4: 3,
  zstd: 4,
};

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];
const zstd: KafkaCodec = { compress: (bytes) => compress(bytes), decompress: (bytes) => decompress(bytes) };

/** Registers what Node has. The others make a batch of marked records, so that its partition alone is paused. */
export const registerCodecs = (module: Registry): void => {
  register(module, "zstd", zstd);
  for (const name of ["snappy", "lz4"] as const) register(module, name, null);
};

/** Registers the codecs of a program; they hold for the process, as in kafkajs. */
export const registerOwnCodecs = (module: Registry, { snappy, lz4 }: KafkaCodecs): void => {
  if (snappy !== undefined) register(module, "snappy", withSnappyFrames(snappy));
  if (lz4 !== undefined) register(module, "lz4", lz4);
};

/** Registers a codec, or with `null` that there is none. */
export const register = (
  { CompressionCodecs }: Registry,
  name: Exclude<KafkaCompression, "none" | "gzip">,
  codec: KafkaCodec | null,
): void => {
  const registered = {
    async compress(encoder: { readonly buffer: Uint8Array }): Promise<Uint8Array> {
      if (codec === null) throw new TypeError(`kafka: there is no codec for ${name}`);
      return asBuffer(await codec.compress(encoder.buffer));
    },
    decompress: async (bytes: Uint8Array): Promise<unknown> =>
      codec === null ? endlessRecords(name) : asBuffer(await codec.decompress(bytes)),
  };
  Reflect.set(CompressionCodecs, compressionTypes[name], () => registered);
};

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
