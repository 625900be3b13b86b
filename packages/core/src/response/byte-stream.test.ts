import { PassThrough, Readable } from "node:stream";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { concatBytes, type StreamSource, toBodyStream } from "./byte-stream.ts";
import { countingSource, iteratorOf } from "./counting-source.test-kit.ts";
import { payloadBytes } from "./readable-stream.ts";
import { anyCharacter } from "../http/testing/any-character.ts";

const bytesOfText = (text: string) => new TextEncoder().encode(text);

const split = (whole: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const bounds = [
    0,
    ...places.map((place) => place % (whole.length + 1)).toSorted((a, b) => a - b),
    whole.length,
  ];
  return bounds.slice(1).map((end, index) => whole.slice(bounds[index], end));
};

const sources: readonly (readonly [string, (chunks: Uint8Array<ArrayBuffer>[]) => StreamSource])[] = [
  ["an array", (chunks) => chunks],
  ["an iterator", (chunks) => chunks.values()],
  [
    "an async generator",
    (chunks) =>
      (async function* () {
        yield* chunks;
      })(),
  ],
  ["a web stream", (chunks) => ReadableStream.from(chunks)],
  ["a Node stream", (chunks) => Readable.from(chunks.filter((chunk) => chunk.length > 0))],
  ["a blob", (chunks) => new Blob(chunks)],
  ["buffers", (chunks) => chunks.map((chunk) => chunk.buffer)],
  ["data views", (chunks) => chunks.map((chunk) => new DataView(chunk.buffer))],
];

test.each(sources)("passes on every byte of %s, however it is split", async (_kind, make) => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      async (whole, places) => {
        const body = toBodyStream(make(split(whole, places) as Uint8Array<ArrayBuffer>[]));
        expect(await payloadBytes(body)).toEqual(new Uint8Array(whole));
      },
    ),
    { numRuns: 50 },
  );
});

test("encodes strings as UTF-8, even if a chunk boundary splits a character", async () => {
  const cuts = fc.array(fc.nat(40), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 40 }), cuts, async (text, places) => {
      const bounds = [
        0,
        ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b),
        text.length,
      ];
      const chunks = bounds.slice(1).map((end, index) => text.slice(bounds[index], end));
      expect(await payloadBytes(toBodyStream(chunks))).toEqual(bytesOfText(text));
    }),
  );
});

test("a lone surrogate at the end, or before bytes, becomes U+FFFD", async () => {
  expect(await payloadBytes(toBodyStream(["a\ud83d"]))).toEqual(bytesOfText("a\ufffd"));
  expect(await payloadBytes(toBodyStream(["a\ud83d", bytesOfText("b"), "c"]))).toEqual(
    bytesOfText("a\ufffdbc"),
  );
  expect(await payloadBytes(toBodyStream(["\ud83d", new Uint8Array(), "\ude00"]))).toEqual(bytesOfText("😀"));
});

test("passes a string as one chunk", async () => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of toBodyStream("héllo").chunks) chunks.push(chunk);
  expect(chunks).toEqual([bytesOfText("héllo")]);
});

test("skips empty chunks", async () => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of toBodyStream(["", "a", new Uint8Array(), "b", ""]).chunks) chunks.push(chunk);
  expect(concatBytes(chunks)).toEqual(bytesOfText("ab"));
  expect(chunks).toHaveLength(2);
});

test("only a blob has a known length", () => {
  expect(toBodyStream(new Blob(["héllo"])).length).toBe(6);
  expect(toBodyStream(["a"]).length).toBeNull();
});

test("pulls one chunk at a time, only on demand", async () => {
  const { counts, source } = countingSource(["a", "b", "c"]);
  const body = toBodyStream(source);
  expect(counts.pulls).toBe(0);
  const iterator = iteratorOf(body);
  expect(counts.pulls).toBe(0);
  await iterator.next();
  expect(counts.pulls).toBe(1);
  await iterator.next();
  expect(counts.pulls).toBe(2);
});

test.each([
  ["a number", 5],
  ["null", null],
  ["an object", {}],
  ["an array", [1]],
  ["undefined", undefined],
])("fails on a chunk of %s and closes the source once", async (what, chunk) => {
  const { counts, source } = countingSource(["a", chunk, "b"]);
  const iterator = iteratorOf(toBodyStream(source));
  await iterator.next();
  await expect(iterator.next()).rejects.toMatchObject({
    code: "CORE_BAD_CHUNK",
    message: expect.stringContaining(what),
  });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  await iterator.return?.();
  expect(counts).toEqual({ pulls: 2, returns: 1 });
});

test("passes on the source's error and does not close a failed source", async () => {
  let returns = 0;
  const failing = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new Error("broken")),
      return: () => Promise.resolve({ done: true as const, value: returns++ }),
    }),
  } as unknown as AsyncIterable<string>;
  const iterator = iteratorOf(toBodyStream(failing));
  await expect(iterator.next()).rejects.toThrow("broken");
  await iterator.return?.();
  expect(returns).toBe(0);
});

test("an error of a Node stream before the first pull is reported at that pull", async () => {
  const node = new PassThrough();
  const body = toBodyStream(node);
  node.destroy(new Error("early"));
  await new Promise((resolve) => node.once("close", resolve));
  await expect(payloadBytes(body)).rejects.toThrow("early");
});

test("a body can be iterated only once", async () => {
  const body = toBodyStream(["a"]);
  expect(await payloadBytes(body)).toEqual(bytesOfText("a"));
  expect(() => iteratorOf(body)).toThrow(expect.objectContaining({ code: "CORE_BODY_USED" }));
});

test("rejects a web stream that has a reader", () => {
  const web = ReadableStream.from(["a"]);
  web.getReader();
  expect(() => toBodyStream(web)).toThrow(expect.objectContaining({ code: "CORE_BODY_USED" }));
});

test.each<[string, unknown]>([
  ["a function", async function* () {}],
  ["null", null],
  ["a number", 5],
  ["an object", {}],
  ["undefined", undefined],
])("rejects %s as a source", (what, source) => {
  expect(() => toBodyStream(source as StreamSource)).toThrow(
    expect.objectContaining({ code: "CORE_BAD_BODY", message: expect.stringContaining(what) }),
  );
});

test("a chunk that is a promise fails the body, and its rejection does not end the process", async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  try {
    const chunks = [Promise.reject(new Error("lost"))] as unknown as string[];
    await expect(payloadBytes(toBodyStream(chunks))).rejects.toThrow(
      "but produced a promise; await it and pass its value",
    );
    await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections at the end of a turn
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", record);
  }
});
