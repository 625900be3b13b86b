import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { toBodyStream } from "./byte-stream.ts";
import { BodyStream } from "../exchange/payload.ts";
import { App, Response as Reply } from "../index.ts";
import { payloadBytes, toReadableStream } from "./readable-stream.ts";

const collect = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array> =>
  new Uint8Array(await new Response(stream).arrayBuffer());

test("returns every byte of any body", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), async (chunks) => {
      const whole = new Uint8Array(chunks.flatMap((chunk) => [...chunk]));
      expect(await collect(toReadableStream(toBodyStream(chunks)))).toEqual(whole);
      expect(await collect(toReadableStream(whole))).toEqual(whole);
    }),
    { numRuns: 60 },
  );
  expect(await collect(toReadableStream("héllo"))).toEqual(new TextEncoder().encode("héllo"));
  expect(await collect(toReadableStream(""))).toEqual(new Uint8Array());
  expect(await collect(toReadableStream(null))).toEqual(new Uint8Array());
});

test("does not modify bytes in memory", async () => {
  const bytes = Uint8Array.of(1, 2, 3);
  await collect(toReadableStream(bytes));
  await collect(toReadableStream(toBodyStream([bytes])));
  expect([...bytes]).toEqual([1, 2, 3]);
});

test("does not read ahead", async () => {
  let pulls = 0;
  const stream = toReadableStream(
    toBodyStream(
      (async function* () {
        for (;;) {
          pulls++;
          yield "x".repeat(1000);
        }
      })(),
    ),
  );
  const nextTurn = () => new Promise(setImmediate);
  await nextTurn();
  expect(pulls).toBe(0);
  const reader = stream.getReader();
  await reader.read();
  await nextTurn();
  expect(pulls).toBe(1);
  await reader.read();
  expect(pulls).toBe(2);
  await reader.cancel();
});

test("fills the buffers of a BYOB reader and closes it at the end", async () => {
  const reader = toReadableStream("hello").getReader({ mode: "byob" });
  let text = "";
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(2));
    text += new TextDecoder().decode(value);
    if (done) break;
  }
  expect(text).toBe("hello");
});

test("cancel reaches the source once: before a read, between chunks and during a pull", async () => {
  for (const reads of [0, 1, 2]) {
    let returns = 0;
    const chunks = {
      count: 0,
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () =>
        chunks.count++ === 0 ? Promise.resolve({ done: false, value: "a" }) : new Promise(() => {}),
      return: () => Promise.resolve({ done: true, value: returns++ }),
    };
    const reader = toReadableStream(toBodyStream(chunks as never)).getReader();
    const pending = Array.from({ length: reads }, () => reader.read());
    await pending[0];
    await reader.cancel();
    await Promise.all(pending);
    expect(returns).toBe(1);
  }
});

test("the reader receives the source's error", async () => {
  const failing = new BodyStream(
    (async function* () {
      yield Uint8Array.of(1);
      throw new Error("broken");
    })(),
  );
  const reader = toReadableStream(failing).getReader();
  await reader.read();
  await expect(reader.read()).rejects.toThrow("broken");
});

test("payloadBytes returns the concatenated chunks of a body", async () => {
  expect(await payloadBytes(toBodyStream(["a", "bc"]))).toEqual(new TextEncoder().encode("abc"));
  expect(await payloadBytes(null)).toEqual(new Uint8Array());
  expect(await payloadBytes("é")).toEqual(new TextEncoder().encode("é"));
});

test("copies each chunk before it pulls the next, so a source may reuse its buffer", async () => {
  const memory = new Uint8Array(2);
  const source = (function* () {
    for (let at = 1; at <= 3; at++) yield memory.fill(at);
  })();
  expect(await payloadBytes(toBodyStream(source))).toEqual(new Uint8Array([1, 1, 2, 2, 3, 3]));
});

test("skips empty chunks, which a web byte stream rejects", async () => {
  const app = new App();
  app.get("/x", () => {
    const chunks = async function* () {
      yield new Uint8Array();
      yield Uint8Array.of(65);
      yield new Uint8Array();
    };
    return new Reply(new BodyStream(chunks()));
  });
  expect(await (await app.fetch(new Request("http://host.test/x"))).text()).toBe("A");
});
