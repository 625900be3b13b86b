import type { Socket } from "../../exchange/socket.ts";

/** Bytes of one read from the system, Node's default. */
const READ_BYTES = 65_536;

/** Maximum length of a read that is copied into Node's pool of small buffers; a longer read gets separate memory. */
const SMALL_BYTES = 4096;

/** Receives the bytes of a read; called by Node with the socket as `this`. */
type OnRead = (this: Socket, length: number, memory: Buffer) => boolean;

/** The fields in which a socket keeps its `onread` option. */
interface OnReadFields {
  readonly memory: symbol;
  readonly callback: symbol;
}

interface ReadableSocket extends Socket {
  readonly _handle?: { useUserBuffer?(memory: Buffer): void } | null;
  [field: symbol]: unknown;
}

/** Looked up when the first socket is accepted; `null` if not found. */
let fields: OnReadFields | null | undefined;
let memory: Buffer | null = null;

/**
 * Reads a socket's bytes into memory that all sockets share, and copies each read from there. By default Node allocates 64 KiB for each read,
 * and an `ArrayBuffer` of the size that arrived, which takes a tenth of the CPU time of a small request.
 *
 * The documented option `onread` of `net.Socket` does the same, but cannot be set for a socket that a server has accepted. The fields that contain the option
 * are found by their values. If a runtime or a release of Node has no such fields, the socket is read as usual, and `read-memory.test.ts` fails.
 */
export const readIntoSharedMemory = (socket: Socket): void => {
  if (fields === undefined) fields = findFields();
  const { _handle: handle } = socket as ReadableSocket;
  if (fields === null || typeof handle?.useUserBuffer !== "function") return;
  memory ??= Buffer.allocUnsafeSlow(READ_BYTES);
  (socket as ReadableSocket)[fields.memory] = memory;
  (socket as ReadableSocket)[fields.callback] = pushCopy;
  socket.pause = pauseStream;
  handle.useUserBuffer(memory);
};

const pushCopy: OnRead = function (length, from) {
  const bytes = length <= SMALL_BYTES ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length);
  from.copy(bytes, 0, 0, length);
  return this.push(bytes);
};

/**
 * Pauses like a socket without `onread`, whose buffer still receives bytes, so that a disconnect of the client is noticed. With the option, a
 * paused socket would not read at all.
 */
const pauseStream: Socket["pause"] = function (this: Socket) {
  const { Duplex } = process.getBuiltinModule("node:stream");
  return Duplex.prototype.pause.call(this) as Socket;
};

const findFields = (): OnReadFields | null => {
  const { Socket: NetSocket } = process.getBuiltinModule("node:net");
  const buffer = Buffer.alloc(1);
  const callback = (): boolean => true;
  const probe = new NetSocket({ onread: { buffer, callback } }) as unknown as ReadableSocket;
  const find = (value: unknown): symbol | undefined =>
    Object.getOwnPropertySymbols(probe).find((field) => probe[field] === value);
  const found = { memory: find(buffer), callback: find(callback) };
  return found.memory === undefined || found.callback === undefined ? null : (found as OnReadFields);
};
