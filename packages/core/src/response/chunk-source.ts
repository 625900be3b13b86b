import { FrameworkError } from "../errors/framework-error.ts";

/** Where the chunks of a body come from: pulled one at a time, closed early when nobody wants the rest. */
export interface ChunkSource {
  next(): Promise<IteratorResult<unknown, unknown>>;
  /** Frees what the source holds, also while a `next` is pending; called at most once and never after the end. */
  close(): Promise<unknown>;
}

/** A stream of Node, as far as a body needs it. */
export interface NodeReadable extends AsyncIterable<unknown> {
  readonly readableEnded: boolean;
  pipe(...target: never[]): unknown;
  destroy(error?: Error): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Tells a web stream from everything else, whichever copy of the class made it. */
export const isReadableStream = (value: object): value is ReadableStream<unknown> =>
  typeof (value as { getReader?: unknown } | null)?.getReader === "function" &&
  typeof (value as { cancel?: unknown }).cancel === "function";

/** Tells a `Readable` of Node, or of a library that follows it, from everything else. */
export const isNodeReadable = (value: object): value is NodeReadable =>
  typeof (value as { pipe?: unknown } | null)?.pipe === "function" &&
  typeof (value as { destroy?: unknown }).destroy === "function" &&
  Symbol.asyncIterator in value;

/** Pulls from a web stream. @throws CORE_BODY_USED when somebody reads it already */
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

/** Pulls from a stream of Node, which is destroyed on close: its own iterator could not be stopped while it waits. */
export const nodeReadableSource = (stream: NodeReadable): ChunkSource => {
  let iterator: AsyncIterator<unknown> | null = null;
  stream.on("error", leaveToTheIterator);
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

/** An error may come before the first pull, when nothing else listens; the iterator reports it then, so it must not end the process now. */
const leaveToTheIterator = (): void => {};

/** Pulls from any iterable, asynchronous or not; `return()` of its iterator closes it. */
export const iterableSource = (iterable: AsyncIterable<unknown> | Iterable<unknown>): ChunkSource => {
  let iterator: AsyncIterator<unknown> | Iterator<unknown> | null = null;
  return {
    async next() {
      iterator ??= iteratorOf(iterable);
      return iterator.next();
    },
    async close() {
      const open = iterator ?? (iterable as Partial<AsyncIterator<unknown>>);
      await open.return?.();
    },
  };
};

const iteratorOf = (
  iterable: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncIterator<unknown> | Iterator<unknown> =>
  Symbol.asyncIterator in iterable ? iterable[Symbol.asyncIterator]() : iterable[Symbol.iterator]();

/** The error of whoever takes a body a second time. */
export const bodyUsed = (): FrameworkError =>
  new FrameworkError(
    "CORE_BODY_USED",
    "this body was read already: a streamed reply can be sent or read once; make a new one for each request, or clone() it before",
  );
