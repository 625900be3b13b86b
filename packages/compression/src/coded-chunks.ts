import { BodyStream } from "@framework/core/feature";
import type { Coder } from "./coders.ts";

/** Returns an encoded body. Its source is released as soon as the reader cancels, also before the first chunk and while the source is slow. */
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
 * Encodes a body chunk by chunk: each chunk is flushed before the next is read, so an event reaches its reader immediately and at most one chunk is
 * buffered. The encoder's memory is freed at the end, also when the reader cancels.
 */
export async function* codedChunks(
  chunks: AsyncIterable<Uint8Array>,
  coder: Coder,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { stream, flushKind } = coder.inPieces();
  let ready: Uint8Array[] = [];
  let failure: { readonly error: unknown } | null = null;
  let reject = (_error: unknown): void => {};
  stream.on("data", (piece: Uint8Array) => ready.push(piece));
  stream.on("error", (error) => {
    failure = { error };
    reject(error);
  });
  // Not `Promise.race` with one failure promise, which would retain memory for each chunk until the end of the stream.
  const step = (begin: (done: () => void) => void): Promise<void> =>
    new Promise((resolve, refuse) => {
      if (failure !== null) return refuse(failure.error);
      reject = refuse;
      begin(resolve);
    });
  const takeReady = (): Uint8Array[] => {
    const pieces = ready;
    ready = [];
    return pieces;
  };
  try {
    for await (const chunk of chunks) {
      await step((done) => {
        stream.write(chunk);
        stream.flush(flushKind, done);
      });
      yield* takeReady();
    }
    await step((done) => {
      stream.once("end", done);
      stream.end();
    });
    yield* takeReady();
  } finally {
    stream.destroy();
  }
}
