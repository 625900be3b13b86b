import type { Context } from "@opentelemetry/api";
import { BodyStream } from "@framework/core/feature";
import type { Contexts } from "../tracing/tracing.ts";

/**
 * Returns a streamed body whose chunks are produced in a context: a transport reads them long after the handler has returned.
 *
 * @param onFailure called with the error of the body; the transport only reports that the reply was aborted
 */
export const bodyInContext = (
  body: BodyStream,
  contexts: Contexts,
  context: Context,
  onFailure: (error: unknown) => void,
): BodyStream => {
  let iterator: AsyncIterator<Uint8Array> | null = null;
  const within = <T>(work: () => T): T => contexts.with(context, work);
  const chunks: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => chunks,
    async next() {
      try {
        return await within(() => (iterator ??= body.chunks[Symbol.asyncIterator]()).next());
      } catch (error) {
        onFailure(error);
        throw error;
      }
    },
    async return() {
      await within(() => (iterator === null ? body.cancel() : iterator.return?.()));
      return { done: true, value: undefined };
    },
  };
  return new BodyStream(chunks, body.length);
};
