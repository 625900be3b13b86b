import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { PayloadTooLargeError, ValueError } from "@framework/core";
import type { BodyEncoding } from "./body-limit-config.ts";

/** Limits against decompression bombs. */
export interface DecodeLimits {
  /** Maximum bytes of the decoded body. */
  readonly maxBodyBytes: number;
  /** Maximum ratio of decoded to encoded size, checked above 1 MiB. */
  readonly maxRatio: number;
}

/** Decoded bytes from which `maxRatio` is checked. */
const MIN_CHECKED_BYTES = 1_048_576;

/** A decoder of `node:zlib`, with its count of consumed bytes. */
type Decoder = Transform & { readonly bytesWritten: number };

/** The body declares the window size, and so the memory of its decoder: Brotli allows 16 MiB, Zstandard is limited to 8 MiB. */
const decoders: Readonly<Record<BodyEncoding, () => Decoder>> = {
  gzip: () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }),
};

/**
 * Decodes a body as it is read, in chunks of up to 16 KiB.
 *
 * @throws PayloadTooLargeError at the first chunk that exceeds a limit; ValueError for malformed, truncated or trailing data
 */
export async function* decodedChunks(
  chunks: AsyncIterable<Uint8Array>,
  coding: BodyEncoding,
  { maxBodyBytes, maxRatio }: DecodeLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = decoders[coding]();
  const fed = { bytes: 0, failure: null as unknown };
  const feeding = feed(decoder, chunks, fed);
  let decoded = 0;
  try {
    for await (const chunk of decoder as AsyncIterable<Uint8Array>) {
      decoded += chunk.byteLength;
      if (decoded > maxBodyBytes) throw new PayloadTooLargeError(maxBodyBytes, "Decoded request body");
      if (decoded > MIN_CHECKED_BYTES && decoded > maxRatio * fed.bytes) {
        throw new PayloadTooLargeError(
          Math.max(MIN_CHECKED_BYTES, maxRatio * fed.bytes),
          "Decoded request body",
        );
      }
      yield chunk;
    }
    await feeding;
    if (fed.failure === null && decoder.bytesWritten < fed.bytes) throw malformed(coding);
  } catch (error) {
    throw fed.failure ?? (isZlibError(error) ? malformed(coding, error) : error);
  } finally {
    decoder.destroy();
  }
  if (fed.failure !== null) throw fed.failure;
}

/** Writes the chunks with backpressure. Never rejects: a failure is stored in `fed` and destroys the decoder. */
const feed = async (
  decoder: Decoder,
  chunks: AsyncIterable<Uint8Array>,
  fed: { bytes: number; failure: unknown },
): Promise<void> => {
  try {
    for await (const chunk of chunks) {
      if (decoder.destroyed) return;
      fed.bytes += chunk.byteLength;
      if (decoder.readableEnded || decoder.write(chunk)) continue;
      await drained(decoder);
    }
    decoder.end();
  } catch (error) {
    fed.failure = error;
    decoder.destroy(error as Error);
  }
};

/** Resolves when the decoder accepts more bytes or is closed. */
const drained = (decoder: Decoder): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      decoder.off("drain", done).off("close", done);
      resolve();
    };
    decoder.on("drain", done).on("close", done);
  });

const isZlibError = (error: unknown): error is Error =>
  Error.isError(error) && "errno" in error && "code" in error;

const malformed = (coding: BodyEncoding, cause?: Error): ValueError =>
  new ValueError(`The request body is not well-formed ${coding}`, { cause });
