import { PayloadTooLargeError, ValueError } from "../errors/http-errors.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import type { RequestSource } from "../exchange/request-source.ts";
import { ByteCollector } from "./byte-collector.ts";

/** What readers need of a body. */
export type BodySource = Pick<RequestSource, "bodyLength" | "buffered" | "chunks">;

const EMPTY: Uint8Array = new Uint8Array(0);

/**
 * The whole body: at once when the transport holds it, else a promise. It may be a part of a larger buffer: see `withOwnMemory`.
 *
 * @param limit the most bytes that are taken
 * @throws PayloadTooLargeError before anything is read when the declared length is above the limit, else at the first byte above it
 * @throws ValueError when the body ends before its declared length or goes on behind it
 */
export const readBody = (source: BodySource, limit: number): Awaitable<Uint8Array> => {
  requireLength(source, limit);
  if (source.buffered !== null) return source.buffered;
  return source.bodyLength === 0 ? EMPTY : collect(source, limit);
};

/**
 * The body's chunks as they arrive, closed at the first byte above the limit.
 *
 * @throws PayloadTooLargeError at the first read when the length is known to be above the limit, else when the excess arrives
 */
export async function* limitedChunks(source: BodySource, limit: number): AsyncGenerator<Uint8Array> {
  requireLength(source, limit);
  if (source.buffered !== null) {
    yield withOwnMemory(source.buffered);
    return;
  }
  let length = 0;
  for await (const chunk of source.chunks()) {
    length += chunk.byteLength;
    if (length > limit) throw new PayloadTooLargeError(limit);
    yield chunk;
  }
}

/** The bytes in memory that holds nothing else: a program may send `buffer` elsewhere, and must not find there what it was not given. */
export const withOwnMemory = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

const requireLength = ({ bodyLength, buffered }: BodySource, limit: number): void => {
  if (Math.max(bodyLength ?? 0, buffered?.byteLength ?? 0) > limit) throw new PayloadTooLargeError(limit);
};

const collect = async (source: BodySource, limit: number): Promise<Uint8Array> => {
  const body = new ByteCollector(source.bodyLength);
  // Not through `limitedChunks`: a generator between them would cost every body several promises a chunk.
  for await (const chunk of source.chunks()) {
    if (body.length + chunk.byteLength > limit) throw new PayloadTooLargeError(limit);
    body.append(chunk);
  }
  if (source.bodyLength !== null && body.length !== source.bodyLength) {
    throw new ValueError(
      `The body is ${body.length} bytes long, but its declared length is ${source.bodyLength}`,
    );
  }
  return body.join();
};
