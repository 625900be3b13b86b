import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { deflateSync, gzipSync } from "node:zlib";
import { waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { all, catalog, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { framed, rawCall } from "./raw-call.test-kit.ts";

const MIB = 1_048_576;

let served: ServedApp;
let readCount = 0;
let release = Promise.withResolvers<void>();

beforeAll(async () => {
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(catalog, {
      AddBooks: async (books) => {
        let added = 0;
        for await (const { title } of books) {
          readCount++;
          if (title.length > 100) await release.promise;
          added++;
        }
        return { added };
      },
      GetBook: ({ id }) => ({ id, title: "one", tags: [] }),
      async *ListBooks({ count }) {
        for (let id = 1; id <= count; id++) yield { id, title: "many", tags: [] };
      },
      async *Chat(lines) {
        yield { text: `${(await all(lines)).length}` };
      },
    });
  });
});

afterAll(() => served[Symbol.asyncDispose]());

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
};

/** Encodes a book whose title has `length` bytes. */
const encodeBook = (length: number): Buffer =>
  Buffer.concat([Buffer.from([8, 1, 18]), varint(length), Buffer.alloc(length, 97)]);

const open = (session: ClientHttp2Session, method: string, encoding: string) => {
  const stream = session.request({
    ":method": "POST",
    ":path": `/books.v1.Catalog/${method}`,
    "content-type": "application/grpc",
    te: "trailers",
    "grpc-encoding": encoding,
  });
  stream.on("error", () => {});
  return stream;
};

const roundTrips = async (session: ClientHttp2Session, count: number): Promise<void> => {
  for (let at = 0; at < count; at++)
    await new Promise((resolve) => {
      session.ping(resolve);
    });
};

test("messages that arrive before the handler reads them stay compressed", async () => {
  readCount = 0;
  release = Promise.withResolvers();
  const session = connect(`http://${served.target}`);
  session.on("error", () => {});
  const message = framed(gzipSync(encodeBook(4 * MIB - 100)), 1);
  const before = process.memoryUsage().arrayBuffers;
  const streams = [1, 2, 3, 4].map(() => open(session, "AddBooks", "gzip"));
  const replies = streams.map((stream) => once(stream, "response"));
  for (const stream of streams) stream.end(Buffer.concat(Array.from({ length: 8 }, () => message)));
  await waitFor(() => readCount === 4);
  await roundTrips(session, 200); // the rest has arrived
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MIB); // the messages inflate to 128 MiB
  release.resolve();
  await Promise.all(replies);
  expect(readCount).toBe(32);
  session.destroy();
});

test("a unary or server-streaming call does not inflate a second message", async () => {
  const session = connect(`http://${served.target}`);
  session.on("error", () => {});
  const fourMessages = Buffer.concat(
    Array.from({ length: 4 }, () => framed(gzipSync(encodeBook(4 * MIB - 100)), 1)),
  );
  const before = process.memoryUsage().arrayBuffers;
  let maxBytes = 0;
  const sampler = setInterval(() => {
    maxBytes = Math.max(maxBytes, process.memoryUsage().arrayBuffers - before);
  }, 1);
  const replies = Array.from({ length: 8 }, async (_, at) => {
    const stream = open(session, at % 2 === 0 ? "GetBook" : "ListBooks", "gzip");
    stream.resume();
    const reply = once(stream, "response");
    stream.end(fourMessages);
    const [headers] = (await reply) as [Record<string, string>];
    return headers["grpc-status"];
  });
  expect(await Promise.all(replies)).toEqual(Array.from({ length: 8 }, () => "12"));
  clearInterval(sampler);
  expect(maxBytes).toBeLessThan(100 * MIB);
  session.destroy();
});

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
])(
  "methods of every kind read messages compressed with %s, and a stream also reads them byte by byte",
  async (encoding, compress) => {
    const headers = { "grpc-encoding": encoding };
    const call = async (method: string, message: Buffer) => {
      const body = framed(compress(message), 1);
      const { status, body: reply } = await rawCall(served.target, {
        path: `/books.v1.Catalog/${method}`,
        body,
        headers,
      });
      return [status, reply.length > 0];
    };
    expect(await call("GetBook", Buffer.from([8, 1]))).toEqual(["0", true]);
    expect(await call("ListBooks", Buffer.from([8, 2]))).toEqual(["0", true]);
    expect(await call("AddBooks", encodeBook(3))).toEqual(["0", true]);
    expect(await call("Chat", Buffer.from([10, 1, 97]))).toEqual(["0", true]);
    const session = connect(`http://${served.target}`);
    session.on("error", () => {});
    const stream = open(session, "AddBooks", encoding);
    readCount = 0;
    const reply = once(stream, "response");
    const body = Buffer.concat([
      framed(compress(encodeBook(3)), 1),
      framed(encodeBook(4)),
      framed(compress(encodeBook(5)), 1),
    ]);
    for (const byte of body) stream.write(Buffer.from([byte]));
    stream.end();
    await reply;
    expect(readCount).toBe(3);
    session.destroy();
  },
);

test.each(["GetBook", "ListBooks", "AddBooks", "Chat"])(
  "a message of %s that cannot be decoded, is incomplete or is too long is refused",
  async (method) => {
    const path = `/books.v1.Catalog/${method}`;
    const status = async (body: Buffer, headers: Record<string, string> = {}) =>
      (await rawCall(served.target, { path, body, headers })).status;
    const empty = Buffer.alloc(0);
    expect(await status(framed(empty, 1))).toBe("13");
    expect(await status(framed(empty, 1), { "grpc-encoding": "identity" })).toBe("13");
    expect(await status(framed(empty, 2))).toBe("13");
    expect(await status(framed(empty, 1), { "grpc-encoding": "snappy" })).toBe("12");
    expect(await status(framed(Buffer.from("no gzip"), 1), { "grpc-encoding": "gzip" })).toBe("13");
    expect(await status(framed(gzipSync(Buffer.alloc(5 * MIB)), 1), { "grpc-encoding": "gzip" })).toBe("8");
    expect(await status(framed(empty, 0, 5 * MIB))).toBe("8");
    expect(await status(framed(Buffer.from([8]), 0, 2))).toBe("13");
  },
);

test.each(["GetBook", "ListBooks"])(
  "a call of %s without a message, or with two, is UNIMPLEMENTED",
  async (method) => {
    const path = `/books.v1.Catalog/${method}`;
    const message = framed(Buffer.from([8, 1]));
    for (const headers of [{}, { "grpc-encoding": "gzip" }])
      for (const body of [
        Buffer.alloc(0),
        Buffer.concat([message, message]),
        Buffer.concat([message, message.subarray(0, 3)]),
      ])
        expect((await rawCall(served.target, { path, body, headers })).status).toBe("12");
  },
);
