import type { ServerHttp2Stream } from "node:http2";

/** Is notified of the end of its stream. */
export interface StreamEndListener {
  /** Called at least once before the stream is closed, while `stream.state` still shows what was sent. */
  closing(): void;
  /** Called when the stream is closed, for any reason. */
  closed(): void;
}

/** Is notified of the bytes that arrive for the body of its stream. */
export interface BodyListener {
  /** Called when bytes have arrived, read or not. */
  arrived(bytes: number): void;
}

const listener = Symbol("listener");
const receiver = Symbol("receiver");

/** A stream that reports the arrival of its body and its end. */
interface ObservedStream extends ServerHttp2Stream {
  [listener]?: StreamEndListener;
  [receiver]?: BodyListener;
}

/**
 * Calls `closing` before a stream is closed and `closed` after it, and ignores the stream's error, because the close follows it. Two listeners would cost several
 * times as much, because streams of `node:http2` react to each new listener.
 *
 * `node:http2` calls `push(null)` on a stream that both sides have ended or one side has reset, or `destroy` if its reading side has already ended.
 */
export const listenToEnd = (stream: ServerHttp2Stream, listening: StreamEndListener): void => {
  const observed: ObservedStream = stream;
  observed[listener] = listening;
  observed.emit = emit;
  observed.push = push;
  observed.destroy = destroy;
};

/**
 * Calls `arrived` with the bytes of a body when they arrive, which is before they are read; call it after `listenToEnd`, which overrides `push`. A stream
 * receives all data through `push`, the documented method of every `Readable`. That `node:http2` calls an overridden `push` is undocumented; the flood tests fail
 * on a version of Node that does not call it.
 */
export const listenToBody = (stream: ServerHttp2Stream, receiving: BodyListener): void => {
  const observed: ObservedStream = stream;
  observed[receiver] = receiving;
  receiving.arrived(stream.readableLength); // bytes that arrived in one read with the head
};

type Push = ServerHttp2Stream["push"];

let inheritedPush: Push | null = null;

const push: Push = function (this: ObservedStream, chunk: Uint8Array | null, encoding) {
  if (chunk !== null) this[receiver]?.arrived(chunk.byteLength);
  else if (this.closed) this[listener]?.closing();
  inheritedPush ??= (Object.getPrototypeOf(this) as { push: Push }).push;
  return inheritedPush.call(this, chunk, encoding);
};

type Destroy = ServerHttp2Stream["destroy"];

let inheritedDestroy: Destroy | null = null;

const destroy: Destroy = function (this: ObservedStream, error) {
  this[listener]?.closing();
  inheritedDestroy ??= (Object.getPrototypeOf(this) as { destroy: Destroy }).destroy;
  return inheritedDestroy.call(this, error);
};

type Emit = (this: ServerHttp2Stream, event: string | symbol, ...values: unknown[]) => boolean;

let inheritedEmit: Emit | null = null;

const emit: ServerHttp2Stream["emit"] = function (
  this: ObservedStream,
  event: string | symbol,
  ...values: unknown[]
): boolean {
  if (event === "newListener" || event === "removeListener" || event === "error") return true;
  if (event === "close") this[listener]?.closed();
  inheritedEmit ??= (Object.getPrototypeOf(this) as { emit: Emit }).emit;
  return inheritedEmit.call(this, event, ...values);
};

/**
 * Lets a stream without a body end as soon as its reply is sent. By default `node:http2` treats its body as unread: it resumes the stream to drop the
 * rest, and closes it a turn of the event loop later.
 */
export const endQuickly = (stream: ServerHttp2Stream): void => {
  (stream as { readableFlowing: boolean | null }).readableFlowing = false; // Node has a setter, which the types leave out
};
