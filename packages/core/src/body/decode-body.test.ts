import { expect, test } from "@jest/globals";
import { App, type HttpRequest } from "../index.ts";

/** Decodes a test coding: each byte becomes three copies. */
async function* triple(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield new Uint8Array([...chunk].flatMap((byte) => [byte, byte, byte]));
}

/** Decodes every chunk to no bytes. */
async function* discard(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield chunk.subarray(0, 0);
}

const send = async (body: string, read: (request: HttpRequest) => unknown, limit = 100) => {
  const app = new App().use((request, next) => {
    request.limitBody(limit);
    request.decodeBody(triple);
    return next(request);
  });
  app.post("/", read);
  const reply = await app.fetch(new Request("http://host.test/", { method: "POST", body }));
  return [reply.status, await reply.text()];
};

test("text, json and stream get the decoder's output", async () => {
  expect(await send("ab", (request) => request.text())).toEqual([200, "aaabbb"]);
  expect(await send("1", (request) => request.json())).toEqual([200, "111"]);
  expect(await send("ab", (request) => request.stream())).toEqual([200, "aaabbb"]);
});

test("the limit applies to the decoded bytes", async () => {
  expect((await send("abc", (request) => request.text(), 9))[0]).toBe(200);
  expect((await send("abc", (request) => request.text(), 8))[0]).toBe(413);
});

test("the limit applies to the encoded bytes too", async () => {
  const app = new App().use((request, next) => {
    request.limitBody(3);
    request.decodeBody(discard);
    return next(request);
  });
  app.post("/", (request) => request.text());
  const reply = await app.fetch(new Request("http://host.test/", { method: "POST", body: "abcd" }));
  expect(reply.status).toBe(413);
});

test("decodeBody throws after the body has been read", async () => {
  const app = new App();
  app.post("/", async (request) => {
    await request.text();
    request.decodeBody(triple);
  });
  app.exceptionHandler(Error, (_request, error) => ({ code: (error as Error & { code?: string }).code }));
  const reply = await app.fetch(new Request("http://host.test/", { method: "POST", body: "a" }));
  expect(await reply.json()).toEqual({ code: "CORE_BODY_STREAMED" });
});

test.each([
  ["encoded", discard, 10],
  ["decoded", triple, 3],
] as const)(
  "a limit that is set after a decoder replaces the earlier one for %s bytes",
  async (_of, decode, size) => {
    const app = new App();
    app.use(async (request, next) => {
      request.limitBody(5);
      request.decodeBody(decode);
      request.limitBody(10);
      return await next(request);
    });
    app.post("/", async (request) => (await request.body()).byteLength);
    const post = async (body: string) =>
      (await app.fetch(new Request("http://host.test/", { method: "POST", body }))).status;
    expect([await post("x".repeat(size)), await post("x".repeat(size + 1))]).toEqual([200, 413]);
  },
);

test.each([
  ["after", false],
  ["before", true],
])("a web request created %s decodeBody has no fields that describe the coding", async (_when, isEarly) => {
  const app = new App().use((request, next) => {
    if (isEarly) void request.raw;
    request.decodeBody(triple);
    return next(request);
  });
  app.post("/", async ({ raw }) => [
    await raw.text(),
    [...raw.headers.keys()].filter((name) => name !== "host"),
  ]);
  const headers = {
    "content-type": "text/plain",
    "content-encoding": "thirds",
    "content-length": "2",
    "content-digest": "sha-256=:YQ==:",
  };
  const reply = await app.fetch(new Request("http://host.test/", { method: "POST", body: "ab", headers }));
  expect(await reply.json()).toEqual(["aaabbb", ["content-type"]]);
});
