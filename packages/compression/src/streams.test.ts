// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import zlib from "node:zlib";
import { App, Response } from "@framework/core";
import { eachClient, testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { codedChunks } from "./coded-chunks.ts";
import { coders } from "./coders.ts";
import { compression } from "./compression.ts";
import { CompressionConfig, type Encoding } from "./compression-config.ts";

let release = (): void => {};
let started = false;
let ended = 0;
let isEndless = false;

const makeApp = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  release = resolve;
  ended = 0;
  isEndless = false;
  started = false;
  async function* events() {
    try {
      yield { data: "first" };
      started = true;
      await promise;
      yield { data: "second" };
      while (isEndless) {
        await new Promise(setImmediate);
        yield { data: "more" };
      }
    } finally {
      ended++;
    }
  }
  const app = new (App.with(compression))().enableCompression({
    streams: true,
    encodings: ["gzip", "br", "zstd"],
  });
  app.get("/events", () => Response.sse(events()));
  return app;
};

const headers = { "accept-encoding": "gzip" };

eachClient(test, makeApp, {
  "an event reaches the client while the stream is open": async (client) => {
    const reply = await client.stream("GET", "/events", { headers });
    expect([reply.headers.get("content-encoding"), reply.headers.get("vary")]).toEqual([
      "gzip",
      "Accept-Encoding",
    ]);
    const decoder = zlib.createGunzip();
    let text = "";
    decoder.on("data", (piece: Buffer) => (text += piece.toString()));
    const reading = (async () => {
      for await (const piece of reply.body ?? []) decoder.write(piece);
    })();
    await waitFor(() => text.includes("first"));
    expect(text).not.toContain("second");
    release();
    await reading;
    await waitFor(() => text.includes("second"));
  },
  "a disconnect of the client ends the source": async (client) => {
    const disconnect = new AbortController();
    const reply = await client.stream("GET", "/events", { headers, signal: disconnect.signal });
    const reader = reply.body?.getReader();
    await reader?.read();
    isEndless = true;
    disconnect.abort();
    await reader?.cancel().catch(() => {});
    release(); // an async generator cannot end while it awaits a promise that never settles
    await waitFor(() => ended === 1);
  },
});

test("streams are not compressed by default", async () => {
  const app = new (App.with(compression))().enableCompression();
  app.get("/", () => Response.stream(["a"], { contentType: "text/plain" }));
  await using client = testClient(app);
  const reply = await client.get("/", { headers });
  expect([reply.headers.get("content-encoding"), reply.headers.get("vary"), reply.text]).toEqual([
    null,
    "Accept-Encoding",
    "a",
  ]);
});

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const decoders = { gzip: zlib.gunzipSync, br: zlib.brotliDecompressSync, zstd: zlib.zstdDecompressSync };
const all = coders(CompressionConfig.of());

async function* pieces(count: number, onEnd: () => void = () => {}) {
  try {
    for (let index = 0; index < count; index++) yield new TextEncoder().encode(`piece ${index} `.repeat(50));
  } finally {
    onEnd();
  }
}

test.each(Object.keys(decoders) as Encoding[])("chunks in %s decode to the whole body", async (coding) => {
  const coded: Uint8Array[] = [];
  for await (const piece of codedChunks(pieces(20), all[coding])) coded.push(piece);
  const expected = Array.from({ length: 20 }, (_, index) => `piece ${index} `.repeat(50)).join("");
  expect(decoders[coding](Buffer.concat(coded)).toString()).toBe(expected);
});

test.each(Object.keys(decoders) as Encoding[])(
  "cancelling %s at any chunk frees the encoder and ends the source",
  async (coding) => {
    for (let stop = 0; stop < 10; stop++) {
      const coder = all[coding].inPieces();
      let closed = 0;
      const tracked = { ...all[coding], inPieces: () => coder };
      const source = pieces(10, () => closed++);
      let read = 0;
      for await (const _ of codedChunks(source, tracked)) if (read++ === stop) break;
      expect([coder.stream.destroyed, closed]).toEqual([true, 1]);
    }
  },
);

test("memory does not grow with the number of encoded chunks of an endless body", async () => {
  const coder = all.gzip.inPieces();
  const short = new TextEncoder().encode("data: tick\n\n");
  const source = async function* () {
    for (;;) yield short;
  };
  const body = codedChunks(source(), { ...all.gzip, inPieces: () => coder });
  const heapAfter = async (chunks: number): Promise<number> => {
    for (let n = 0; n < chunks; n++) await body.next();
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(2000);
  const grown = (await heapAfter(20_000)) - before;
  await body.return();
  expect(grown).toBeLessThan(2_000_000);
});

test("an error of the encoder is an error of the compressed body, even between two chunks", async () => {
  const coder = all.gzip.inPieces();
  const body = codedChunks(pieces(3), { ...all.gzip, inPieces: () => coder });
  await body.next();
  const closed = new Promise((resolve) => coder.stream.once("close", resolve));
  coder.stream.destroy(new Error("out of memory"));
  await closed;
  const reading = async () => {
    for await (const _ of body);
  };
  await expect(reading()).rejects.toThrow("out of memory");
});

test("an error of the source is an error of the compressed body", async () => {
  const broken = async function* () {
    yield new Uint8Array(10);
    throw new Error("source failed");
  };
  const reading = async () => {
    for await (const _ of codedChunks(broken(), all.gzip));
  };
  await expect(reading()).rejects.toThrow("source failed");
});

test("a compressed event stream that is ended by a drain is complete", async () => {
  const app = makeApp();
  const reply = await app.fetch(new Request("http://localhost/events", { headers }));
  const bytes = reply.arrayBuffer();
  await waitFor(() => started);
  await app.stop();
  expect(zlib.gunzipSync(await bytes).toString()).toBe("data: first\n\n");
});

test("a web Response made of text is compressed like in-memory text, a web Response with a stream is not", async () => {
  const app = new (App.with(compression))().enableCompression();
  const text = "a line of text\n".repeat(500);
  app.get("/text", () => new globalThis.Response(text));
  app.get("/short", () => new globalThis.Response("short"));
  app.get("/stream", () => {
    const chunks = [text, text];
    const pull = async (controller: ReadableStreamDefaultController) => {
      await new Promise(setImmediate);
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(chunk));
    };
    const type = { headers: { "content-type": "text/plain" } };
    return new globalThis.Response(new ReadableStream({ pull }), type);
  });
  await using client = testClient(app);
  const seen = async (path: string) => {
    const { headers: fields, bytes } = await client.get(path, { headers });
    return [fields.get("content-encoding"), fields.get("content-length") === String(bytes.byteLength)];
  };
  expect(await seen("/text")).toEqual(["gzip", true]);
  expect(await seen("/short")).toEqual([null, true]);
  expect((await seen("/stream"))[0]).toBe(null);
});
