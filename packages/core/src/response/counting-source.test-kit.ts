import type { StreamChunk } from "./byte-stream.ts";
import type { BodyStream } from "../exchange/payload.ts";

/** A source that counts its pulls; pull number `stuckAt` never resolves. */
export const counting = (
  chunks: readonly unknown[],
  stuckAt: number = Infinity,
): {
  readonly seen: { readonly pulls: number; readonly returns: number };
  readonly source: AsyncIterable<StreamChunk>;
} => {
  const seen = { pulls: 0, returns: 0 };
  const source = {
    [Symbol.asyncIterator]: () => ({
      next(): Promise<unknown> {
        const value = chunks[seen.pulls++];
        if (seen.pulls > stuckAt) return new Promise<never>(() => {});
        return Promise.resolve(
          seen.pulls > chunks.length ? { done: true, value: undefined } : { done: false, value },
        );
      },
      return(): Promise<unknown> {
        seen.returns++;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  } as unknown as AsyncIterable<StreamChunk>;
  return { seen, source };
};

export const iteratorOf = (body: BodyStream): AsyncIterator<Uint8Array> =>
  body.chunks[Symbol.asyncIterator]();
