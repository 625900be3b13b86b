import { markHandled } from "./mark-handled.ts";

/** Methods of a web `Request` that read its body; `bytes` is missing in older runtimes. */
const readers = ["arrayBuffer", "blob", "bytes", "formData", "json", "text"] as const;

/**
 * Marks all promises of a web request's body as handled, including its stream and its clones, and returns the request: a client that disconnects must not end
 * the process through a promise that a handler dropped.
 */
export const markRequestHandled = (request: globalThis.Request): globalThis.Request => {
  if (request.body !== null) markStreamHandled(request.body);
  const { clone } = request;
  markMethodsHandled(request, readers);
  return Object.assign(request, { clone: () => markRequestHandled(clone.call(request)) });
};

type AnyMethod = (...call: unknown[]) => unknown;
/** Members of a stream, without their overloads. */
type WebStream = Readonly<Record<"getReader" | "pipeThrough" | "tee" | "values", AnyMethod>>;

/** Marks all promises of a web stream as handled, including its readers, iterators and branches, and returns the stream. */
export const markStreamHandled = <T>(stream: ReadableStream<T>): ReadableStream<T> => {
  if (known.has(stream)) return stream;
  known.add(stream);
  const { getReader, pipeThrough, tee, values } = stream as unknown as WebStream;
  const iterate: AnyMethod = (...call) =>
    markMethodsHandled(values.apply(stream, call) as AsyncIterator<T>, ["next", "return"]);
  markMethodsHandled(stream, ["cancel", "pipeTo"]);
  return Object.assign(stream, {
    getReader: (...call: unknown[]) =>
      markMethodsHandled(getReader.apply(stream, call) as ReadableStreamDefaultReader<T>, ["read", "cancel"]),
    pipeThrough: (...call: unknown[]) => markStreamHandled(pipeThrough.apply(stream, call) as ReadableStream),
    tee: () => (tee.call(stream) as ReadableStream<T>[]).map((branch) => markStreamHandled(branch)),
    values: iterate,
    [Symbol.asyncIterator]: iterate,
  });
};

/** Streams that are already marked. */
const known = new WeakSet<ReadableStream>();

/** Wraps methods of an object so that their promises are marked as handled. */
const markMethodsHandled = <T extends object>(target: T, names: readonly (keyof T)[]): T => {
  for (const name of names) {
    const method = target[name] as ((...call: unknown[]) => Promise<unknown>) | undefined;
    if (method !== undefined)
      Reflect.set(target, name, (...call: unknown[]) => markHandled(method.apply(target, call)));
  }
  return target;
};
