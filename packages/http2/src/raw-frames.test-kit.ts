import { connect, type Socket } from "node:net";
import { eventually } from "@framework/conformance";

/** A frame as received. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export const DATA = 0;
export const HEADERS = 1;
export const PRIORITY = 2;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;
export const END_STREAM = 1;
export const ACK = 1;
export const END_HEADERS = 4;

export const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** Encodes one frame (RFC 9113 4.1). */
export const frame = (
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(),
): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.byteLength, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

/** Encodes a field block of literals without indexing and without Huffman coding (RFC 7541 6.2.2). Names and values are shorter than 127 bytes. */
export const block = (fields: readonly (readonly [name: string, value: string])[]): Buffer =>
  Buffer.concat(
    fields.flatMap(([name, value]) => [
      Buffer.from([0, name.length]),
      Buffer.from(name, "latin1"),
      Buffer.from([value.length]),
      Buffer.from(value, "latin1"),
    ]),
  );

/** The pseudo-fields of a GET. */
export const getFields = (path = "/"): [string, string][] => [
  [":method", "GET"],
  [":scheme", "http"],
  [":path", path],
  [":authority", "a"],
];

/** HEADERS of a GET without a body. */
export const get = (stream: number, path = "/"): Buffer =>
  frame(HEADERS, END_HEADERS | END_STREAM, stream, block(getFields(path)));

export const number32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A client that writes exact frames. */
export interface FrameClient {
  readonly socket: Socket;
  readonly frames: readonly Frame[];
  readonly closed: boolean;
  send(...bytes: (Uint8Array | string)[]): void;
  /** Resolves to the first matching frame, once it has arrived. */
  until(matches: (frame: Frame) => boolean): Promise<Frame>;
  /** Resolves when the server has read all bytes sent so far: it acknowledges a PING after the preceding frames. */
  untilRead(): Promise<void>;
  untilClosed(): Promise<void>;
}

/** Connects and sends the preface and empty SETTINGS. */
export const connectFrames = (port: number, first: string | null = preface): FrameClient => {
  const socket = connect(port, "127.0.0.1");
  const frames: Frame[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let closed = false;
  let pings = 0;
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
  });
  socket.on("end", () => socket.end());
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const end = 9 + rest.readUIntBE(0, 3);
      const [type = 0, flags = 0] = [rest[3], rest[4]];
      frames.push({
        type,
        flags,
        stream: rest.readUInt32BE(5) & 0x7fff_ffff,
        payload: rest.subarray(9, end),
      });
      rest = rest.subarray(end);
    }
  });
  if (first !== null) socket.write(first);
  if (first === preface) socket.write(frame(SETTINGS, 0, 0));
  return {
    socket,
    frames,
    get closed() {
      return closed;
    },
    send: (...bytes) => {
      for (const part of bytes) if (!socket.destroyed) socket.write(part);
    },
    until: async (matches) => {
      await eventually(() => closed || frames.some(matches), "the frame has arrived");
      const found = frames.find(matches);
      if (found === undefined) throw new Error(`closed without the frame: ${JSON.stringify(frames)}`);
      return found;
    },
    untilRead: async () => {
      const payload = Buffer.alloc(8);
      payload.writeUInt32BE(++pings);
      socket.write(frame(PING, 0, 0, payload));
      const isAck = ({ type, flags, payload: received }: Frame): boolean =>
        type === PING && flags === ACK && payload.equals(received);
      await eventually(() => frames.some(isAck), "the server has read everything");
    },
    untilClosed: () => eventually(() => closed, "the connection is closed"),
  };
};

/** Returns the error code of RST_STREAM or GOAWAY; in GOAWAY it follows the last stream id. */
export const codeOf = ({ type, payload }: Frame): number => payload.readUInt32BE(type === GOAWAY ? 4 : 0);
