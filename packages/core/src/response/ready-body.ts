import { ByteChunks, concatBytes } from "./byte-stream.ts";
import type { ChunkSource } from "./chunk-source.ts";
import { BodyStream } from "../exchange/payload.ts";
import type { Response } from "./response.ts";
import { WebBody } from "./web-response.ts";

/** Maximum number of bytes to take into memory; a longer body stays a stream. */
const MAX_BYTES = 1_048_576;

/**
 * Reads the body of a web `Response` into memory if it is already complete: a web `Response` of text also has a stream, but this stream ends in the same turn
 * of the event loop. Other bodies, and bodies above 1 MiB, stay streams, which begin with the chunks that were read.
 *
 * For features that need the bytes of a reply, for example to compute its entity tag.
 *
 * @returns `null` if the body does not come from a web `Response`, or an earlier call has replaced it
 */
export const readyBody = (reply: Response): Promise<Response> | null => {
  const { payload } = reply;
  if (!(payload instanceof WebBody)) return null;
  return readyChunks(payload).then((body) => {
    reply.payload = body;
    return reply;
  });
};

const readyChunks = async ({ chunks, length }: WebBody): Promise<Uint8Array | BodyStream> => {
  const source = chunks[Symbol.asyncIterator]();
  const turn = endOfTurn();
  const read: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const pending = source.next();
    const settled = await Promise.race([pending.catch(() => null), turn]); // the reader of the stream gets the error
    if (settled?.done === true && (length === null || length === bytes)) return concatBytes(read);
    if (settled !== null && settled.done !== true) {
      read.push(new Uint8Array(settled.value)); // copied, because a source may overwrite a chunk when the next one is pulled
      bytes += settled.value.byteLength;
      if (bytes <= MAX_BYTES) continue;
      return resumedBody(new ResumedChunks(read, null, source), length);
    }
    return resumedBody(new ResumedChunks(read, pending, source), length);
  }
};

/** Resolves at the end of the current turn of the event loop. */
const endOfTurn = (): Promise<null> =>
  new Promise((resolve) => {
    const { setImmediate: soon = setTimeout } = globalThis as {
      setImmediate?: (call: () => void) => unknown;
    };
    soon(() => resolve(null));
  });

type Chunk = IteratorResult<Uint8Array, undefined>;

/** Creates a body that is closed when its reply is dropped, like a body that the program created. */
const resumedBody = (chunks: ResumedChunks, length: number | null): BodyStream =>
  new BodyStream(new ByteChunks(chunks), length);

/** The chunks that were already read, then the rest of the source. */
class ResumedChunks implements ChunkSource {
  private readonly read: Uint8Array[];
  /** A read of the source that has not settled yet. */
  private pending: Promise<Chunk> | null;
  private readonly source: AsyncIterator<Uint8Array, undefined>;

  constructor(
    read: Uint8Array[],
    pending: Promise<Chunk> | null,
    source: AsyncIterator<Uint8Array, undefined>,
  ) {
    this.read = read;
    this.pending = pending;
    this.source = source;
  }

  async next(): Promise<Chunk> {
    const value = this.read.shift();
    if (value !== undefined) return { done: false, value };
    const { pending } = this;
    this.pending = null;
    return pending ?? this.source.next();
  }

  async close(): Promise<void> {
    this.read.length = 0;
    await this.source.return?.();
  }
}
