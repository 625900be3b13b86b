import { BodyStream, type Payload } from "@framework/core/feature";

const MAX_PARTS = 10;

/**
 * Yields the chunks of a body with a pause before each; strings and bytes are split into at most ten parts. Its `return` closes the source even before the
 * first chunk, as for HEAD: JavaScript ends a generator that has not started without running its code.
 */
export const slowChunks = (
  payload: Exclude<Payload, null>,
  pause: () => Promise<void>,
): AsyncGenerator<Uint8Array> => {
  const chunks = pausedChunks(payload, pause);
  const end = chunks.return.bind(chunks);
  return Object.assign(chunks, {
    async return(value: unknown) {
      if (payload instanceof BodyStream) await payload.cancel();
      return end(value);
    },
  });
};

async function* pausedChunks(
  payload: Exclude<Payload, null>,
  pause: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of payload instanceof BodyStream ? payload.chunks : parts(payload)) {
    await pause();
    yield chunk;
  }
}

const parts = (payload: string | Uint8Array): readonly Uint8Array[] => {
  const bytes = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
  const size = Math.max(1, Math.ceil(bytes.byteLength / MAX_PARTS));
  const count = Math.ceil(bytes.byteLength / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
};
