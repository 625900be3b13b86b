import { BodyStream } from "@framework/core/feature";
import type { Coder } from "./coders.ts";

/** A body in a coding. Its source is let go at once when the reader leaves: before the first piece, and while the source keeps the reader waiting. */
export const codedBody = (body: BodyStream, coder: Coder): BodyStream => {
  const pieces = codedChunks(body.chunks, coder);
  const chunks: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => chunks,
    next: () => pieces.next(),
    async return() {
      pieces.return().catch(() => {}); // waits for the source; how it ends is told below
      await body.cancel();
      return { done: true, value: undefined };
    },
  };
  return new BodyStream(chunks);
};

/**
 * A body coded piece by piece: what went in has come out before the next piece is asked for, so that an event reaches its reader at once and no more than one
 * piece is held. The coder's memory is freed at the end, also when the reader leaves.
 */
export async function* codedChunks(
  chunks: AsyncIterable<Uint8Array>,
  coder: Coder,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { stream, flushKind } = coder.inPieces();
  let ready: Uint8Array[] = [];
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {}); // told to whoever waits below; when nobody does, nothing was lost
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
