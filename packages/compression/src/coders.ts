import type { Transform } from "node:stream";
import zlib from "node:zlib";
import type { CompressionConfig, Encoding } from "./compression-config.ts";

/** Encoder of one content coding. */
export interface Coder {
  /** Encodes a whole body, off the event loop. */
  whole(body: Uint8Array): Promise<Uint8Array>;
  /** Returns an encoder for a body in chunks, and the kind of flush that outputs every byte so far. */
  inPieces(): {
    readonly stream: Transform & { flush(kind: number, done: () => void): void };
    readonly flushKind: number;
  };
}

const { constants } = zlib;

/** Returns encoders with the configured levels. */
export const coders = (config: CompressionConfig): Readonly<Record<Encoding, Coder>> => {
  const gzip = { level: config.gzipLevel };
  const brotli = (size: number) => ({
    params: {
      [constants.BROTLI_PARAM_QUALITY]: config.brotliQuality,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  });
  const zstd = {
    params: { [constants.ZSTD_c_compressionLevel]: config.zstdLevel },
  };
  return {
    gzip: {
      whole: (body) => toPromise((done) => zlib.gzip(body, gzip, done)),
      inPieces: () => ({ stream: zlib.createGzip(gzip), flushKind: constants.Z_SYNC_FLUSH }),
    },
    br: {
      whole: (body) => toPromise((done) => zlib.brotliCompress(body, brotli(body.byteLength), done)),
      inPieces: () => ({
        stream: zlib.createBrotliCompress(brotli(0)),
        flushKind: constants.BROTLI_OPERATION_FLUSH,
      }),
    },
    zstd: {
      whole: (body) => toPromise((done) => zlib.zstdCompress(body, zstd, done)),
      inPieces: () => ({ stream: zlib.createZstdCompress(zstd), flushKind: constants.ZSTD_e_flush }),
    },
  };
};

const toPromise = (
  call: (done: (error: Error | null, coded: Uint8Array) => void) => void,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    call((error, coded) => (error === null ? resolve(coded) : reject(error)));
  });
