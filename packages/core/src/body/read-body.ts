import { PayloadTooLargeError, ValueError } from "../errors/http-errors.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import type { RequestSource } from "../exchange/request-source.ts";
import { ByteCollector } from "./byte-collector.ts";

/** Members of a request that are needed to read its body. */
export interface BodySource extends Pick<RequestSource, "bodyLength" | "buffered" | "inWindow" | "chunks"> {
  /** Whether middleware has decoded the body; the header fields still describe the encoded body. @default false */
  readonly isDecoded?: boolean;
}

const empty: Uint8Array = new Uint8Array(0);

/**
 * Returns the complete body: synchronously when the transport has it, otherwise as a promise. It may be a view into a larger buffer: see `withOwnMemory`.
 *
 * @param limit maximum bytes
 * @throws PayloadTooLargeError before reading when the declared length exceeds the limit, otherwise at the first byte beyond it
 * @throws ValueError when the body is shorter or longer than its declared length
 */
export const readBody = (source: BodySource, limit: number): Awaitable<Uint8Array> => {
  requireLength(source, limit);
  if (source.buffered !== null) return source.buffered;
  return source.bodyLength === 0 ? empty : collect(source, limit);
};

/**
 * Yields the body's chunks as they arrive, up to the limit.
 *
 * @throws PayloadTooLargeError at the first read when the declared length exceeds the limit, otherwise at the first byte beyond it
 */
export async function* limitedChunks(source: BodySource, limit: number): AsyncGenerator<Uint8Array> {
  requireLength(source, limit);
  if (source.buffered !== null) {
    if (source.buffered.byteLength > 0) yield withOwnMemory(source.buffered);
    return;
  }
  let length = 0;
  for await (const chunk of source.chunks()) {
    length += chunk.byteLength;
    if (length > limit) throw new PayloadTooLargeError(limit);
    yield chunk;
  }
}

/** Returns the bytes in a buffer of exactly their length: a program may pass on `bytes.buffer`, which must not expose other data. */
export const withOwnMemory = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

/** @throws PayloadTooLargeError when the declared or the buffered length exceeds the limit */
export const requireLength = ({ bodyLength, buffered }: BodySource, limit: number): void => {
  if (Math.max(bodyLength ?? 0, buffered?.byteLength ?? 0) > limit) throw new PayloadTooLargeError(limit);
};

const collect = async (source: BodySource, limit: number): Promise<Uint8Array> => {
  const body = new ByteCollector(source.bodyLength);
  // Without `limitedChunks`, whose generator costs several promises for each chunk.
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
