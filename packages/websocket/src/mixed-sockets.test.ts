import { createHash } from "node:crypto";
import { once } from "node:events";
import { createRequire } from "node:module";
import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { Writable } from "node:stream";
import type { RunOptions } from "@framework/core";
import { markHandled } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { serve } from "./socket-app.test-kit.ts";

/** The receiver of `ws`, which its types omit. */
const { Receiver } = createRequire(import.meta.url)("ws") as {
  readonly Receiver: new (options: { readonly isServer: boolean; readonly maxPayload: number }) => Writable;
};

/** A message with unique bytes. */
interface Sent {
  readonly length: number;
  readonly binary: boolean;
  /** Number of frames; a ping follows each except the last. */
  readonly frames: number;
}

/** Plan of one client: it sends messages, and disconnects after them or within the last one. */
interface Visit {
  readonly messages: readonly Sent[];
  /** Bytes of each write; one turn of the event loop passes between two writes. */
  readonly piece: number;
  /** Whether the client sends its first frames with the upgrade request, before the reply. */
  readonly eager: boolean;
  readonly ending: "close" | "end" | "reset";
}

const sent: fc.Arbitrary<Sent> = fc.record({
  length: fc.oneof(fc.nat({ max: 130 }), fc.nat({ max: 9000 }), fc.nat({ max: 150_000 })),
  binary: fc.boolean(),
  frames: fc.integer({ min: 1, max: 4 }),
});
const visits = fc.array(
  fc.record({
    messages: fc.array(sent, { minLength: 1, maxLength: 5 }),
    piece: fc.oneof(fc.integer({ min: 1000, max: 8000 }), fc.constant(400_000)),
    eager: fc.boolean(),
    ending: fc.constantFrom("close" as const, "close" as const, "end" as const, "reset" as const),
  }),
  { minLength: 2, maxLength: 12 },
);

/** Returns the bytes of a message: letters, so that they are also valid text. */
const bytesOf = (client: number, at: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let n = 0; n < length; n++) bytes[n] = 97 + ((client * 11 + at * 5 + n * (client + 3)) % 26);
  return bytes;
};

const [CONTINUATION, TEXT, BINARY, CLOSE, PING] = [0, 1, 2, 8, 9];

/** Returns a masked frame (RFC 6455 5.2). */
const frame = (opcode: number, payload: Buffer, isLast = true): Buffer => {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  const mask = Buffer.from([length & 0xff, 0xa5, 0x3c, opcode + 1]);
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ (mask[at & 3] as number))]);
};

/** Returns the frames of a message, with a ping after each except the last. */
const framesOf = (bytes: Buffer, { binary, frames }: Sent): Buffer => {
  const size = Math.ceil(bytes.length / frames);
  const parts = Array.from({ length: frames }, (_, at) => {
    const opcode = at > 0 ? CONTINUATION : binary ? BINARY : TEXT;
    const part = frame(opcode, bytes.subarray(at * size, (at + 1) * size), at === frames - 1);
    return at === frames - 1 ? part : Buffer.concat([part, frame(PING, Buffer.from(`${at}`))]);
  });
  return Buffer.concat(parts);
};

const REQUEST =
  "GET /echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

const digest = (bytes: Buffer, binary: boolean): string =>
  `${binary} ${createHash("sha1").update(bytes).digest("hex")}`;

/** Messages, pongs and close code that a client has received. */
interface Received {
  readonly messages: string[];
  pongs: number;
  code: number | null;
}

/** Reads the reply to the upgrade, then frames. Resolves when the reply has arrived. */
const listen = (socket: Socket, received: Received): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const receiver = new Receiver({ isServer: false, maxPayload: 0 });
  receiver.on(
    "message",
    (data: Buffer, binary: boolean) => void received.messages.push(digest(data, binary)),
  );
  receiver.on("pong", () => void received.pongs++);
  receiver.on("conclude", (code: number) => void (received.code = code));
  receiver.on("error", reject);
  let head = "";
  socket.on("data", (chunk: Buffer) => {
    if (head.endsWith("\r\n\r\n")) return void receiver.write(chunk);
    const text = head + chunk.toString("latin1");
    const end = text.indexOf("\r\n\r\n") + 4;
    if (end < 4) return void (head = text);
    const rest = chunk.subarray(chunk.length - (text.length - end));
    head = text.slice(0, end);
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    resolve();
    if (rest.length > 0) receiver.write(rest);
  });
  socket.on("close", () => reject(new Error("closed")));
  socket.on("error", () => {});
  return promise;
};

const write = async (socket: Socket, bytes: Buffer, piece: number): Promise<void> => {
  for (let at = 0; at < bytes.length; at += piece) {
    socket.write(bytes.subarray(at, at + piece));
    await turn();
  }
};

/** Runs the plan of a client, and returns the expected and the received data. */
const visit = async (
  port: number,
  client: number,
  { messages, piece, eager, ending }: Visit,
): Promise<[expected: Received, received: Received]> => {
  const received: Received = { messages: [], pongs: 0, code: null };
  const socket = connect(port, "127.0.0.1");
  const closed = once(socket, "close");
  const upgraded = markHandled(listen(socket, received));
  await once(socket, "connect");
  const payloads = messages.map(({ length }, at) => bytesOf(client, at, length));
  const frames = messages.map((message, at) => framesOf(payloads[at] as Buffer, message));
  const unfinished = ending === "close" ? 0 : 1;
  const whole = Buffer.concat(frames.slice(0, frames.length - unfinished));
  const request = Buffer.from(REQUEST);
  if (!eager) await write(socket, request, piece).then(() => upgraded);
  await write(socket, eager ? Buffer.concat([request, whole]) : whole, piece);
  const finished = messages.slice(0, messages.length - unfinished);
  const expected: Received = {
    messages: finished.map(({ binary }, at) => digest(payloads[at] as Buffer, binary)),
    pongs: finished.reduce((sum, { frames: count }) => sum + count - 1, 0),
    code: ending === "close" ? 1000 : null,
  };
  const hasAll = (): boolean =>
    received.messages.length >= finished.length && received.pongs >= expected.pongs;
  await waitFor(() => socket.closed || hasAll());
  const last = frames.at(-1) as Buffer;
  if (ending === "close") socket.write(frame(CLOSE, Buffer.from([0x03, 0xe8])));
  else await write(socket, last.subarray(0, last.length >> 1), piece);
  if (ending === "end") socket.end();
  if (ending === "reset") socket.resetAndDestroy();
  await closed;
  if (finished.length > 0 || ending === "close") await upgraded; // without a finished message, the client may disconnect before the reply
  if (ending === "close") return [expected, received];
  return [expected, { ...received, pongs: Math.min(received.pongs, expected.pongs), code: null }]; // a ping of the unfinished message may have arrived
};

test.each<NonNullable<RunOptions["transport"]>>(["fast", "node"])(
  "on the transport %s each client receives only its own messages while other clients send, fragment and close",
  async (transport) => {
    let open = 0;
    await using service = await serve(
      (app) => {
        app.enableWebSocket({ maxReceiveQueueBytes: 65_536, closeWaitSecs: 0.2 });
        app.websocket("/echo", async (socket) => {
          open++;
          for await (const message of socket) {
            await turn(); // lets the app read other connections
            await socket.send(message);
          }
          open--;
        });
      },
      { transport },
    );
    const { port } = new URL(service.url);
    await fc.assert(
      fc.asyncProperty(visits, async (clients) => {
        const results = await Promise.all(clients.map((client, at) => visit(Number(port), at, client)));
        for (const [expected, received] of results) expect(received).toEqual(expected);
        await waitFor(() => open === 0);
      }),
      { numRuns: 12 },
    );
  },
);
