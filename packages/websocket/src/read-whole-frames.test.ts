import { createRequire } from "node:module";
import type { Writable } from "node:stream";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { WebSocket } from "ws";
import { readWholeFrames } from "./read-whole-frames.ts";

/** The receiver of `ws`, which its types omit. */
const { Receiver } = createRequire(import.meta.url)("ws") as {
  readonly Receiver: new (options: { readonly isServer: boolean; readonly maxPayload: number }) => Writable;
};

const MAX_BYTES = 70_000;

/** Events of a receiver, and the number of chunks that it has read through its stream. */
interface Read {
  readonly events: readonly unknown[];
  readonly streamed: number;
}

/** Reads chunks with `ws`, or with `ws` and `readWholeFrames`. */
const read = (chunks: readonly Uint8Array[], whole: boolean): Read => {
  const events: unknown[] = [];
  let streamed = 0;
  const receiver = new Receiver({ isServer: true, maxPayload: MAX_BYTES });
  const streamWrite = receiver._write.bind(receiver);
  receiver._write = (...given) => {
    streamed++;
    streamWrite(...given);
  };
  const receive = (data: Buffer, binary: boolean): void => void events.push([data.toString("hex"), binary]);
  if (whole) readWholeFrames({ _receiver: receiver } as unknown as WebSocket, MAX_BYTES, receive);
  receiver.on("message", receive);
  for (const name of ["ping", "pong"])
    receiver.on(name, (data: Buffer) => events.push([name, data.toString()]));
  receiver.on("conclude", (code: number, reason: Buffer) => events.push(["close", code, reason.toString()]));
  receiver.on("error", () => {});
  for (const chunk of chunks) {
    if (receiver.writableEnded || receiver.destroyed || receiver.errored !== null) break; // `ws` reads no more
    receiver.write(Buffer.from(chunk)); // a copy, because unmasking changes the bytes in place
  }
  events.push(receiver.errored?.message ?? "no error");
  return { events, streamed };
};

interface Frame {
  readonly first: number;
  readonly payload: Uint8Array;
  readonly mask: readonly [number, number, number, number];
  readonly isMasked: boolean;
  readonly lengthBytes: 0 | 2 | 8;
}

/** Writes a frame; its length may take more bytes than needed. */
const bytesOf = ({ first, payload, mask, isMasked, lengthBytes }: Frame): Buffer => {
  const { length } = payload;
  const needed = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const form = Math.max(needed, lengthBytes);
  const head = Buffer.alloc(2 + form);
  head[0] = first;
  head[1] = (isMasked ? 0x80 : 0) | (form === 0 ? length : form === 2 ? 126 : 127);
  if (form === 2) head.writeUInt16BE(length, 2);
  if (form === 8) head.writeBigUInt64BE(BigInt(length), 2);
  const masked = payload.map((byte, at) => (isMasked ? byte ^ (mask[at % 4] as number) : byte));
  return Buffer.concat([head, isMasked ? Buffer.from(mask) : Buffer.alloc(0), masked]);
};

const byte = fc.integer({ min: 0, max: 255 });
const text = fc.string({ unit: "grapheme", maxLength: 60 }).map((value) => Buffer.from(value));
const sized = fc
  .constantFrom(0, 1, 2, 3, 4, 5, 125, 126, 127, 65_535, 65_536, MAX_BYTES, MAX_BYTES + 1)
  .map((length) => new Uint8Array(length).fill(97));
const payload = fc.oneof(text, sized, fc.uint8Array({ maxLength: 140 }));
const ordinary = fc.constantFrom(0x81, 0x82);
const frame = fc.record({
  first: fc.oneof({ weight: 6, arbitrary: ordinary }, fc.constantFrom(1, 2, 0, 0x80, 0x88, 0x89, 0x8a), byte),
  payload: fc.oneof({ weight: 3, arbitrary: text }, payload),
  mask: fc.tuple(byte, byte, byte, byte),
  isMasked: fc.integer({ min: 0, max: 30 }).map((value) => value > 0),
  lengthBytes: fc.constantFrom<0 | 2 | 8>(0, 0, 0, 0, 0, 2, 8),
});

/** Received chunks: one frame each, or frames split at any byte. */
const arrivals = fc
  .tuple(fc.array(frame, { minLength: 1, maxLength: 8 }), fc.array(fc.nat({ max: 400 }), { maxLength: 6 }))
  .map(([frames, sizes]) => {
    const all = frames.map(bytesOf);
    if (sizes.length === 0) return all;
    const bytes = Buffer.concat(all);
    let at = 0;
    const pieces = sizes.map((size) => bytes.subarray(at, (at += size)));
    return [...pieces, bytes.subarray(at)];
  });

test("any frames in any chunks cause the same events as without readWholeFrames", () => {
  fc.assert(
    fc.property(arrivals, (chunks) => {
      expect(read(chunks, true).events).toEqual(read(chunks, false).events);
    }),
    { numRuns: 500 },
  );
});

test("whole frames bypass the stream of `ws`, even if several arrive together", () => {
  const frames = [Buffer.from("one"), new Uint8Array(65_535), Buffer.from("é")].map((data) =>
    bytesOf({ first: 0x81, payload: data, mask: [1, 2, 3, 4], isMasked: true, lengthBytes: 0 }),
  );
  expect(read(frames, true).streamed).toBe(0);
  expect(read([Buffer.concat(frames)], true).streamed).toBe(0);
  expect(read(frames, true).events).toHaveLength(4);
});

test("whole frames bypass the stream again after a ping, a fragmented message and a frame in two pieces", () => {
  const maskedFrame = (first: number, data: string): Buffer =>
    bytesOf({
      first,
      payload: Buffer.from(data),
      mask: [9, 8, 7, 6],
      isMasked: true,
      lengthBytes: 0,
    });
  const whole = maskedFrame(0x81, "hello");
  const other = [
    maskedFrame(0x89, "ping"),
    maskedFrame(1, "frag"),
    maskedFrame(0x80, "ment"),
    whole.subarray(0, 3),
    whole.subarray(3),
  ];
  const { streamed } = read(other, true);
  const more = read([...other, whole, whole], true);
  expect(streamed).toBe(5);
  expect(more.streamed).toBe(5);
  expect(more.events.slice(-3)).toEqual([
    [Buffer.from("hello").toString("hex"), false],
    [Buffer.from("hello").toString("hex"), false],
    "no error",
  ]);
});
