import type { ServerHttp2Stream } from "node:http2";

/** Wants to know when its stream is closed. */
export interface EndsWithStream {
  /** The stream is about to be closed; called at least once while `stream.state` still tells what was sent. */
  closing(): void;
  /** The stream is closed, for whatever reason. */
  closed(): void;
}

/** Counts what arrives of the body of its stream. */
export interface ReceivesBody {
  /** Bytes arrived, whether or not somebody reads them. */
  arrived(bytes: number): void;
}

const listener = Symbol("listener");
const receiver = Symbol("receiver");

/** A stream that reports the arrival of its body and its end. */
interface ToldStream extends ServerHttp2Stream {
  [listener]?: EndsWithStream;
  [receiver]?: ReceivesBody;
}

/**
 * Calls `closing` before a stream is closed and `closed` after it, and ignores its error, which its close follows. Adding two listeners instead costs several times as much,
 * because streams of `node:http2` tell themselves of each new listener.
 *
 * `node:http2` ends the reading side of a stream that both sides have ended or a side has reset, by `push(null)`, or destroys it at once if that side has ended before.
 */
export const listenToEnd = (stream: ServerHttp2Stream, listening: EndsWithStream): void => {
  const told: ToldStream = stream;
  told[listener] = listening;
  told.emit = emit;
  told.push = push;
  told.destroy = destroy;
};

/**
 * Calls `arrived` with the bytes of a body when they arrive, which is before they are read: a stream receives all data by `push`, the documented method of every
 * `Readable`. That `node:http2` calls it as the stream's own is not documented; tests of floods fail if a release of Node does not.
 */
export const listenToBody = (stream: ServerHttp2Stream, receiving: ReceivesBody): void => {
  const told: ToldStream = stream;
  told[receiver] = receiving;
  receiving.arrived(stream.readableLength); // what came in one read with the head
};

type Push = ServerHttp2Stream["push"];

let inheritedPush: Push | null = null;

const push: Push = function (this: ToldStream, chunk: Uint8Array | null, encoding) {
  if (chunk !== null) this[receiver]?.arrived(chunk.byteLength);
  else if (this.closed) this[listener]?.closing();
  inheritedPush ??= (Object.getPrototypeOf(this) as { push: Push }).push;
  return inheritedPush.call(this, chunk, encoding);
};

type Destroy = ServerHttp2Stream["destroy"];

let inheritedDestroy: Destroy | null = null;

const destroy: Destroy = function (this: ToldStream, error) {
  this[listener]?.closing();
  inheritedDestroy ??= (Object.getPrototypeOf(this) as { destroy: Destroy }).destroy;
  return inheritedDestroy.call(this, error);
};

/** What every stream has for `emit`. */
type Emit = (this: ServerHttp2Stream, event: string | symbol, ...values: unknown[]) => boolean;

let inherited: Emit | null = null;

const emit: ServerHttp2Stream["emit"] = function (
  this: ToldStream,
  event: string | symbol,
  ...values: unknown[]
): boolean {
  if (event === "newListener" || event === "removeListener" || event === "error") return true;
  if (event === "close") this[listener]?.closed();
  inherited ??= (Object.getPrototypeOf(this) as { emit: Emit }).emit;
  return inherited.call(this, event, ...values);
};

/**
 * Lets a stream without a body end as soon as its reply is sent. Untouched, `node:http2` takes it for one whose body nobody reads: it resumes the stream to drop what is
 * left, and closes it a turn later once more.
 */
export const endQuickly = (stream: ServerHttp2Stream): void => {
  (stream as { readableFlowing: boolean | null }).readableFlowing = false; // Node has a setter, which the types leave out
};
