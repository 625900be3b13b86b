import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { grpcClient } from "./client.ts";
import { aBook, all, catalog, failure } from "./grpc-app.test-kit.ts";
import { framed } from "./raw-call.test-kit.ts";

let server: Http2Server;
let client: ReturnType<typeof clientOf>;
let respond: (stream: ServerHttp2Stream) => void = () => {};

const clientOf = (port: number) => grpcClient(catalog, `127.0.0.1:${port}`, { timeoutMs: 0 });

beforeAll(async () => {
  server = createServer();
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {}); // the client cancels
    stream.resume();
    respond(stream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = clientOf((server.address() as AddressInfo).port);
});

afterAll(() => {
  client.close();
  server.close();
});

const headers = { ":status": 200, "content-type": "application/grpc" };
const message = Buffer.from([8, 1, 18, 1, 97]);

const respondWith =
  (frames: readonly Buffer[], fields: Readonly<Record<string, string>> = {}) =>
  (stream: ServerHttp2Stream): void => {
    stream.respond({ ...headers, ...fields }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(Buffer.concat(frames));
  };

test.each([
  ["with the status", respondWith([framed(message), framed(message)])],
  [
    "without a status",
    (stream: ServerHttp2Stream) => {
      stream.respond(headers);
      stream.write(Buffer.concat([framed(message), framed(message)]));
    },
  ],
])("a second response message, %s, ends a unary call with UNIMPLEMENTED", async (_, sendTwo) => {
  respond = sendTwo;
  expect(await failure(client.GetBook({ id: 1 }))).toMatchObject({
    status: "UNIMPLEMENTED",
    message: "The server sent more than one message",
  });
  expect(await failure(client.AddBooks([aBook(1)]))).toMatchObject({ status: "UNIMPLEMENTED" });
});

test("a response may arrive byte by byte", async () => {
  respond = (stream) => {
    stream.respond(headers, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    for (const byte of framed(message)) stream.write(Buffer.from([byte]));
    stream.end();
  };
  expect(await client.GetBook({ id: 1 })).toMatchObject({ id: 1, title: "a" });
});

test.each([
  ["an unknown grpc-encoding", { "grpc-encoding": "snappy" }],
  ["no grpc-encoding", {}],
])("a response that is compressed with %s is INTERNAL with the reason", async (_, fields) => {
  respond = respondWith([framed(message, 1)], fields);
  const refused = { status: "INTERNAL", message: expect.stringContaining("grpc-encoding") };
  expect(await failure(client.GetBook({ id: 1 }))).toMatchObject(refused);
  expect(await failure(all(client.ListBooks({ count: 1 })))).toMatchObject(refused);
});
