import { BodyStream } from "@framework/core/feature";
import type { Coder } from "./coders.ts";

/** An encoded body. Its source is released as soon as the reader leaves: before the first chunk, and while the source is slow. */
export const codedBody = (body: BodyStream, coder: Coder): BodyStream => {
  const pieces = codedChunks(body.chunks, coder);
  const chunks: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => chunks,
    next: () => pieces.next(),
    async return() {
      pieces.return().catch(() => {}); // waits for the source; its error is handled below
      await body.cancel();
      return { done: true, value: undefined };
    },
  };
  return new BodyStream(chunks);
};

/**
 * Encodes a body chunk by chunk: each chunk is flushed before the next is read, so that an event reaches its reader at once and at most one chunk
 * is buffered. The encoder's memory is freed at the end, also when the reader leaves.
 */
export async function* codedChunks(
  chunks: AsyncIterable<Uint8Array>,
  coder: Coder,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { stream, flushKind } = coder.inPieces();
  let ready: Uint8Array[] = [];
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {}); // the waiting reader below gets the error; without one nothing is lost
  stream.on("data", (piece: Uint8Array) => ready.push(piece));
  stream.on("error", reject);
  const taken = (): Uint8Array[] => {
    const pieces = ready;
    ready = [];
    return pieces;
  };
  try {
    for await (const chunk of chunks) {
      const flushed = new Promise<void>((resolve) => {
        stream.write(chunk);
        stream.flush(flushKind, resolve);
      });
      await Promise.race([flushed, failed]);
      yield* taken();
    }
    const ended = new Promise<void>((resolve) => {
      stream.once("end", resolve);
      stream.end();
    });
    await Promise.race([ended, failed]);
    yield* taken();
  } finally {
    stream.destroy();
  }
}
