import type { StreamChunk } from "./byte-stream.ts";
import type { BodyStream } from "../exchange/payload.ts";

/** A source that counts its pulls and returns. Pulls after the first `readyPulls` never resolve. */
export const countingSource = (
  chunks: readonly unknown[],
  readyPulls: number = Infinity,
): {
  readonly counts: { readonly pulls: number; readonly returns: number };
  readonly source: AsyncIterable<StreamChunk>;
} => {
  const counts = { pulls: 0, returns: 0 };
  const source = {
    [Symbol.asyncIterator]: () => ({
      next(): Promise<unknown> {
        const value = chunks[counts.pulls++];
        if (counts.pulls > readyPulls) return new Promise<never>(() => {});
        return Promise.resolve(
          counts.pulls > chunks.length ? { done: true, value: undefined } : { done: false, value },
        );
      },
      return(): Promise<unknown> {
        counts.returns++;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  } as unknown as AsyncIterable<StreamChunk>;
  return { counts, source };
};

/** Returns the iterator of a body's chunks. */
export const iteratorOf = (body: BodyStream): AsyncIterator<Uint8Array> =>
  body.chunks[Symbol.asyncIterator]();
