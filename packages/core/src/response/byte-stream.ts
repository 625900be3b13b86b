import { FrameworkError } from "../errors/framework-error.ts";
import type { Draining } from "../lifecycle/draining.ts";
import { markHandled } from "../middleware/mark-handled.ts";
import { isPromise } from "../middleware/middleware.ts";
import {
  bodyUsed,
  type ChunkSource,
  isNodeReadable,
  isReadableStream,
  iterableSource,
  type NodeReadable,
  nodeReadableSource,
  readableStreamSource,
} from "./chunk-source.ts";
import { BodyStream } from "../exchange/payload.ts";

/** One piece of a streamed body: bytes, or a string, which is sent as UTF-8. */
export type StreamChunk = string | ArrayBuffer | ArrayBufferView;

/** Values that can be streamed. */
export type StreamSource =
  | ReadableStream<unknown>
  | NodeReadable
  | Blob
  | AsyncIterable<StreamChunk>
  | Iterable<StreamChunk>;

/**
 * Creates a body from a stream, an iterable or a blob. Nothing is pulled before the body is sent; then chunks are pulled one by one.
 *
 * Cancelling calls the source's `return`, `cancel` or `destroy` exactly once, also while a chunk is awaited. A chunk that is neither
 * text nor bytes fails the body with CORE_BAD_CHUNK; empty chunks are skipped.
 *
 * @throws CORE_BODY_USED when the stream has a reader already, CORE_BAD_BODY for a value that cannot be streamed
 */
export const toBodyStream = (source: StreamSource): BodyStream =>
  new BodyStream(toChunks(source), isBlob(source) ? source.size : null);

/** Returns the chunks of any value that can be streamed. @throws the same errors as `toBodyStream` */
export const toChunks = (source: StreamSource): ByteChunks =>
  new ByteChunks(
    isBlob(source)
      ? readableStreamSource(source.stream())
      : sourceOf(source, "a stream, a Blob or an iterable of strings and bytes"),
  );

/** Whether a value is a `Blob` or `File`, of any realm. */
export const isBlob = (value: unknown): value is Blob =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Blob).stream === "function" &&
  typeof (value as Blob).size === "number" &&
  typeof (value as Blob).type === "string";

/**
 * Returns the chunks of a stream or an iterable, unconverted; a string is one chunk.
 *
 * @param wanted completes "a body must be" in the error for another value
 * @throws CORE_BODY_USED, CORE_BAD_BODY
 */
export const sourceOf = (
  source: ReadableStream<unknown> | NodeReadable | AsyncIterable<unknown> | Iterable<unknown>,
  wanted: string,
): ChunkSource => {
  if (isReadableStream(source)) return readableStreamSource(source);
  if (isNodeReadable(source)) return nodeReadableSource(source);
  if (typeof source === "string") return iterableSource([source]);
  if (isIterable(source)) return iterableSource(source);
  throw badBody(source, wanted);
};

const isIterable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);

/** Creates the error for a value that cannot be a body. */
export const badBody = (value: unknown, wanted: string): FrameworkError => {
  return new FrameworkError("CORE_BAD_BODY", `a body must be ${wanted}, not ${bodyKindOf(value)}`);
};

/** Describes a value that cannot be a body, or a part of one, with the remedy for a function and for a promise. */
export const bodyKindOf = (value: unknown): string => {
  if (typeof value === "function") return "a function; call the function and pass its result";
  if (!isPromise(value)) return kindOf(value);
  void markHandled(Promise.resolve(value)); // its rejection must not end the process
  return "a promise; await it and pass its value";
};

const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
};

const finished: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });
const encoder = new TextEncoder();

/** The chunks of one source as bytes. Can be iterated once; like `for await`, a reader must await each `next` before it calls another. */
export class ByteChunks implements AsyncIterableIterator<Uint8Array, undefined> {
  private readonly source: ChunkSource;
  private taken = false;
  private ended = false;
  private isWatched = false;
  /** Whether a reader may begin after the exchange. */
  private isRetained = false;
  /** Registry of the bodies in transmission. */
  private draining: Draining | null = null;
  /** First half of a surrogate pair at the end of a string chunk. */
  private half = "";
  private settle: ((result: IteratorResult<Uint8Array, undefined>) => void) | null = null;

  constructor(source: ChunkSource) {
    this.source = source;
  }

  /** Ends the chunks when the app drains during their transmission. */
  endWith(draining: Draining): void {
    this.draining = draining;
    if (this.taken && !this.ended) draining.add(this);
  }

  /** Returns true on the first call only: every level of the chain gets the same body, but one watch suffices. */
  beginWatch(): boolean {
    if (this.isWatched) return false;
    this.isWatched = true;
    return true;
  }

  /** Retains the chunks for a later reader, such as a web stream created from them: `closeUnread` then does nothing. */
  retain(): void {
    this.isRetained = true;
  }

  /** Closes the source if reading has not begun. */
  closeUnread(): void {
    if (!this.taken && !this.isRetained) this.return().catch(() => {}); // the body was dropped, so its error changes nothing
  }

  /** @throws CORE_BODY_USED the second time */
  [Symbol.asyncIterator](): this {
    if (this.taken) throw bodyUsed();
    this.taken = true;
    this.draining?.add(this);
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.ended) return Promise.resolve(finished);
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array, undefined>>();
    this.settle = resolve;
    this.pull().then(resolve, reject);
    return promise;
  }

  /** Ends the body now, a pending `next` included, and closes the source. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.taken = true;
    if (this.ended) return finished;
    this.finish();
    const closed = this.source.close();
    if (this.settle === null) await closed;
    else {
      this.settle(finished);
      // A pending source may close late or never; the body has ended, so its error changes nothing.
      closed.catch(() => {});
    }
    return finished;
  }

  private async pull(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      for (;;) {
        const result = await this.source.next();
        if (this.ended) return finished;
        const bytes = result.done === true ? this.flush() : this.toBytes(result.value);
        if (bytes.byteLength > 0) return { done: false, value: bytes };
        if (this.ended) return finished;
      }
    } catch (error) {
      this.finish();
      throw error;
    } finally {
      this.settle = null;
    }
  }

  private flush(): Uint8Array {
    this.finish();
    return this.takeHalf();
  }

  private finish(): void {
    this.ended = true;
    this.draining?.remove(this);
  }

  /** Returns the pending half of a surrogate pair, which is sent as U+FFFD. */
  private takeHalf(): Uint8Array {
    const { half } = this;
    this.half = "";
    return encoder.encode(half);
  }

  private toBytes(chunk: unknown): Uint8Array {
    if (typeof chunk === "string") return this.encode(chunk);
    const bytes = bytesOf(chunk);
    if (bytes === null) throw this.refuse(chunk);
    if (this.half === "" || bytes.byteLength === 0) return bytes;
    return concatBytes([this.takeHalf(), bytes]);
  }

  private encode(chunk: string): Uint8Array {
    const text = this.half + chunk;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.half = isHalf ? text.slice(-1) : "";
    return encoder.encode(isHalf ? text.slice(0, -1) : text);
  }

  private refuse(chunk: unknown): FrameworkError {
    // An error from closing the source must not replace the one about the chunk.
    this.source.close().catch(() => {});
    return new FrameworkError(
      "CORE_BAD_CHUNK",
      `a streamed body must produce strings or bytes, but produced ${bodyKindOf(chunk)}`,
    );
  }
}

/** Bytes of a buffer or a view, without a copy; `null` for any other value. */
export const bytesOf = (value: unknown): Uint8Array | null => {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isArrayBuffer(value) ? new Uint8Array(value) : null;
};

const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  value instanceof ArrayBuffer || Object.prototype.toString.call(value) === "[object ArrayBuffer]";

/** Concatenates chunks. */
export const concatBytes = (chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
};
