import { FrameworkError } from "../errors/framework-error.ts";
import { currentContext } from "../runtime/async-context.ts";

/** Source of a body's chunks, which are pulled one by one. It is closed when the rest is not needed. */
export interface ChunkSource {
  next(): Promise<IteratorResult<unknown, unknown>>;
  /** Frees the source's resources, also while a `next` is pending. Called at most once, and never after the end. */
  close(): Promise<unknown>;
}

/** The members of Node's `Readable` that a body needs. */
export interface NodeReadable extends AsyncIterable<unknown> {
  readonly readableEnded: boolean;
  pipe(...target: never[]): unknown;
  destroy(error?: Error): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Whether a value is a web stream, of any copy of the class. */
export const isReadableStream = (value: object): value is ReadableStream<unknown> =>
  typeof (value as { getReader?: unknown } | null)?.getReader === "function" &&
  typeof (value as { cancel?: unknown }).cancel === "function";

/** Whether a value is a `Readable` of Node, or of a library with the same interface. */
export const isNodeReadable = (value: object): value is NodeReadable =>
  typeof (value as { pipe?: unknown } | null)?.pipe === "function" &&
  typeof (value as { destroy?: unknown }).destroy === "function" &&
  Symbol.asyncIterator in value;

/** Pulls from a web stream. @throws CORE_BODY_USED when it already has a reader */
export const readableStreamSource = (stream: ReadableStream<unknown>): ChunkSource => {
  if (stream.locked) throw bodyUsed();
  let reader: ReadableStreamDefaultReader<unknown> | null = null;
  return {
    next() {
      reader ??= stream.getReader();
      return reader.read();
    },
    close: () => (reader ?? stream).cancel(),
  };
};

/** Pulls from a stream of Node. Closing destroys it, because its own iterator cannot be stopped while it waits. */
export const nodeReadableSource = (stream: NodeReadable): ChunkSource => {
  let iterator: AsyncIterator<unknown> | null = null;
  stream.on("error", ignore);
  return {
    next() {
      iterator ??= stream[Symbol.asyncIterator]();
      return iterator.next();
    },
    async close() {
      stream.destroy();
    },
  };
};

/** Error listener for the time before the first pull, when an error would end the process; the iterator reports the error at the first pull. */
const ignore = (): void => {};

/**
 * Pulls from an iterable, synchronous or asynchronous. Closing calls its iterator's `return()`.
 *
 * A generator runs in the asynchronous context of this call, which is the handler's, because a transport pulls outside the contexts of middleware.
 */
export const iterableSource = (iterable: AsyncIterable<unknown> | Iterable<unknown>): ChunkSource => {
  let iterator: AsyncIterator<unknown> | Iterator<unknown> | null = null;
  const inContext = currentContext();
  return {
    async next() {
      return inContext(() => (iterator ??= iteratorOf(iterable)).next());
    },
    async close() {
      const open = iterator ?? (iterable as Partial<AsyncIterator<unknown>>);
      await inContext(() => open.return?.());
    },
  };
};

const iteratorOf = (
  iterable: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncIterator<unknown> | Iterator<unknown> =>
  Symbol.asyncIterator in iterable ? iterable[Symbol.asyncIterator]() : iterable[Symbol.iterator]();

/** Creates the error for a second use of a body. */
export const bodyUsed = (): FrameworkError =>
  new FrameworkError(
    "CORE_BODY_USED",
    "this body was read already: a streamed reply can be sent or read once; create one for each request, or call clone() first",
  );
