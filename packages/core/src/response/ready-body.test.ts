import { expect, test } from "@jest/globals";
import { BodyStream } from "../exchange/payload.ts";
import { payloadBytes } from "./readable-stream.ts";
import { readyBody } from "./ready-body.ts";
import { Response } from "./response.ts";
import { fromWebResponse } from "./web-response.ts";

const web = (...args: ConstructorParameters<typeof globalThis.Response>) =>
  fromWebResponse(new globalThis.Response(...args));

const textOf = async ({ payload }: Response) => new TextDecoder().decode(await payloadBytes(payload));

/** A stream that yields strings at once and then never ends; `seen` counts its cancellations. */
const endless = (texts: readonly string[]) => {
  const seen = { cancelled: 0 };
  const remaining = texts.map((text) => new TextEncoder().encode(text));
  const stream = new ReadableStream({
    pull(controller) {
      const next = remaining.shift();
      if (next !== undefined) controller.enqueue(next);
      return next === undefined ? new Promise<void>(() => {}) : undefined;
    },
    cancel: () => void seen.cancelled++,
  });
  return { stream, seen };
};

test.each([
  ["text", "grüße", "grüße"],
  ["bytes", new TextEncoder().encode("bytes"), "bytes"],
  ["parameters", new URLSearchParams({ a: "1" }), "a=1"],
  ["an empty string", "", ""],
])("the body of a web response of %s is read into memory", async (_what, body, text) => {
  const reply = await readyBody(web(body));
  expect(reply?.payload).toBeInstanceOf(Uint8Array);
  expect(reply && (await textOf(reply))).toBe(text);
});

test("a web response of Response.json is read into memory, with its fields", async () => {
  const reply = await readyBody(fromWebResponse(globalThis.Response.json({ a: 1 }, { status: 201 })));
  expect([reply?.status, reply?.contentType, reply?.contentLength]).toEqual([201, "application/json", 7]);
});

test("other replies do not change", async () => {
  const stream = Response.stream(["a"]);
  expect([readyBody(Response.text("a")), readyBody(stream), readyBody(web(null))]).toEqual([
    null,
    null,
    null,
  ]);
  expect(await textOf(stream)).toBe("a");
});

test("a body that does not end in the same turn stays a stream with all its chunks, and a second call returns null", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const first = writer.write(new TextEncoder().encode("a"));
  const reply = (await readyBody(web(readable))) as Response;
  expect([reply.payload instanceof BodyStream, readyBody(reply)]).toEqual([true, null]);
  const whole = textOf(reply);
  await first;
  await writer.write(new TextEncoder().encode("b"));
  await writer.close();
  expect(await whole).toBe("ab");
});

test("cancelling a body that stays a stream cancels its source, even while a chunk is awaited", async () => {
  for (const reads of [0, 1, 2]) {
    const { stream, seen } = endless(["a"]);
    const { payload } = (await readyBody(web(stream))) as Response;
    const chunks = (payload as BodyStream).chunks[Symbol.asyncIterator]();
    const pulls = Array.from({ length: reads }, () => chunks.next());
    await (payload as BodyStream).cancel();
    expect([reads, (await pulls[1])?.done ?? true, seen.cancelled]).toEqual([reads, true, 1]);
  }
});

test("a body that fails rejects its reader, and a body shorter than its declared length stays a stream", async () => {
  const failing = new ReadableStream({
    pull() {
      throw new Error("broken");
    },
  });
  const reply = (await readyBody(web(failing))) as Response;
  await expect(textOf(reply)).rejects.toThrow("broken");
  const short = (await readyBody(web("abc", { headers: { "content-length": "5" } }))) as Response;
  expect([short.payload instanceof BodyStream, short.contentLength]).toEqual([true, 5]);
  expect(await textOf(short)).toBe("abc");
});

test.each([2000, 300_000])(
  "chunks of %d bytes are copied, so a source may reuse its buffer",
  async (size) => {
    const source = async function* () {
      const memory = new Uint8Array(size);
      for (let at = 1; at <= 5; at++) yield memory.fill(at);
    };
    const reply = (await readyBody(web(ReadableStream.from(source())))) as Response;
    const expected = Array.from({ length: 5 }, (_, at) => new Uint8Array(size).fill(at + 1));
    expect(Buffer.from(await payloadBytes(reply.payload)).equals(Buffer.concat(expected))).toBe(true);
  },
);

test("a body of more than 1 MiB stays a stream", async () => {
  const limit = 1_048_576;
  for (const [length, isStream] of [
    [limit, false],
    [limit + 1, true],
  ] as const) {
    const reply = (await readyBody(web("x".repeat(length)))) as Response;
    expect([length, reply.payload instanceof BodyStream]).toEqual([length, isStream]);
    expect((await textOf(reply)).length).toBe(length);
  }
});
