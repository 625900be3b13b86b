import { ByteChunks, concatBytes } from "./byte-stream.ts";
import { BodyStream, type Payload } from "../exchange/payload.ts";

/**
 * Returns a body as a web byte stream: each chunk is pulled when it is read, never ahead.
 *
 * Cancelling it cancels the source. Chunks are copies, because a byte stream detaches the buffers it is given.
 *
 * @param onPull called before each pull
 */
export const toReadableStream = (
  payload: Payload,
  onPull?: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  if (payload instanceof BodyStream && payload.chunks instanceof ByteChunks) payload.chunks.retain();
  let iterator: AsyncIterator<Uint8Array> | null = null;
  const start = (): AsyncIterator<Uint8Array> => chunksOf(payload)[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      type: "bytes",
      async pull(controller) {
        onPull?.();
        iterator ??= start();
        let next = await iterator.next();
        while (next.done !== true && next.value.byteLength === 0) next = await iterator.next(); // a byte stream rejects empty chunks
        const { done, value } = next;
        if (done !== true) return controller.enqueue(new Uint8Array(value));
        controller.close();
        controller.byobRequest?.respond(0);
      },
      async cancel() {
        if (iterator === null && payload instanceof BodyStream) return payload.cancel();
        await iterator?.return?.();
      },
    },
    { highWaterMark: 0 },
  );
};

const chunksOf = (payload: Payload): AsyncIterable<Uint8Array> => {
  if (payload instanceof BodyStream) return payload.chunks;
  return oneChunk(toBytesOf(payload));
};

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  if (bytes.byteLength > 0) yield bytes;
  return undefined;
}

const toBytesOf = (payload: string | Uint8Array | null): Uint8Array =>
  typeof payload === "string" ? new TextEncoder().encode(payload) : (payload ?? new Uint8Array());

/** Reads a complete body into memory. @throws CORE_BODY_USED when its stream was already used */
export const payloadBytes = async (payload: Payload): Promise<Uint8Array> => {
  if (!(payload instanceof BodyStream)) return toBytesOf(payload);
  const chunks: Uint8Array[] = [];
  for await (const chunk of payload.chunks) chunks.push(new Uint8Array(chunk)); // copied, because a source may overwrite a chunk when the next one is pulled
  return concatBytes(chunks);
};
