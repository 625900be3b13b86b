import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { PayloadTooLargeError, ValueError } from "../errors/http-errors.ts";
import { limitedChunks, readBody, withOwnMemory } from "./read-body.ts";

/** A source that records the number of chunks read and whether it was closed. */
const sourceOf = (chunks: readonly Uint8Array[], bodyLength: number | null, failure?: Error) => {
  const seen = { read: 0, closed: false };
  return {
    seen,
    bodyLength,
    buffered: null,
    async *chunks() {
      try {
        for (const chunk of chunks) {
          seen.read++;
          yield chunk;
        }
        if (failure !== undefined) throw failure;
      } finally {
        seen.closed = true;
      }
    },
  };
};

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, at) => at % 251);
const unread = () => {
  throw new Error("the body was read");
};

test("returns a buffered body synchronously and without a copy", () => {
  const buffered = bytesOf(3);
  expect(readBody({ bodyLength: 3, buffered, chunks: unread }, 3)).toBe(buffered);
});

test("returns an empty body synchronously without reading", () => {
  expect(readBody({ bodyLength: 0, buffered: null, chunks: unread }, 0)).toEqual(new Uint8Array(0));
});

test.each([
  [{ bodyLength: 11, buffered: null, chunks: unread }],
  [{ bodyLength: 11, buffered: bytesOf(11), chunks: unread }],
  [{ bodyLength: null, buffered: bytesOf(11), chunks: unread }],
])("rejects a declared or buffered length above the limit before reading", async (source) => {
  expect(() => readBody(source, 10)).toThrow(PayloadTooLargeError);
  await expect(limitedChunks(source, 10).next()).rejects.toThrow("limit of 10B");
});

test("reads up to the limit and fails at the first byte above it, closing the source", async () => {
  const chunks = [bytesOf(4), bytesOf(6), bytesOf(1), bytesOf(1)];
  expect(await readBody(sourceOf(chunks.slice(0, 2), null), 10)).toHaveLength(10);
  const source = sourceOf(chunks, null);
  await expect(readBody(source, 10)).rejects.toThrow(PayloadTooLargeError);
  expect(source.seen).toEqual({ read: 3, closed: true });
});

test.each([9, 11])("rejects a body whose length differs from the declared one: %i for 10", async (length) => {
  const source = sourceOf([bytesOf(4), bytesOf(length - 4)], 10);
  await expect(readBody(source, 100)).rejects.toThrow(ValueError);
});

test("propagates the failure of the source", async () => {
  const failure = new Error("the client disconnected");
  await expect(readBody(sourceOf([bytesOf(1)], null, failure), 10)).rejects.toBe(failure);
});

test("closes the source when its reader stops", async () => {
  const source = sourceOf([bytesOf(1), bytesOf(1)], null);
  for await (const chunk of limitedChunks(source, 10)) if (chunk.length === 1) break;
  expect(source.seen).toEqual({ read: 1, closed: true });
});

test("streams a buffered body as one chunk", async () => {
  const buffered = bytesOf(5);
  const chunks: Uint8Array[] = [];
  for await (const chunk of limitedChunks({ bodyLength: 5, buffered, chunks: unread }, 5)) chunks.push(chunk);
  expect(chunks).toEqual([buffered]);
});

test("joins any chunks exactly, with and without a declared length", async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(chunks, fc.boolean(), async (parts, declared) => {
      const whole = Uint8Array.from(parts.flatMap((part) => [...part]));
      const body = await readBody(sourceOf(parts, declared ? whole.length : null), 100_000);
      expect(Buffer.from(body).equals(whole)).toBe(true);
    }),
  );
});

test("joins a large body of tiny chunks", async () => {
  const chunks = Array.from({ length: 50_000 }, (_, at) => Uint8Array.of(at % 256));
  const body = await readBody(sourceOf(chunks, null), 50_000);
  expect(body.length).toBe(50_000);
  expect(body.every((byte, at) => byte === at % 256)).toBe(true);
});

test("copies only bytes that share a larger buffer", async () => {
  const shared = Buffer.from("head body").subarray(5);
  const own = withOwnMemory(shared);
  expect([own.constructor, own.buffer.byteLength, new TextDecoder().decode(own)]).toEqual([
    Uint8Array,
    4,
    "body",
  ]);
  expect(withOwnMemory(own)).toBe(own);
  const sizes: number[] = [];
  for await (const chunk of limitedChunks({ bodyLength: 4, buffered: shared, chunks: unread }, 4))
    sizes.push(chunk.buffer.byteLength);
  expect(sizes).toEqual([4]);
});
