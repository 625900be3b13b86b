import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { virtualClock, type VirtualClock } from "@framework/core/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { aBook, catalog, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { GrpcError } from "./index.ts";
import { framed, rawCallOver } from "./raw-call.test-kit.ts";

let served: ServedApp;
let clock: VirtualClock;
let session: ClientHttp2Session;
let handled: number[] = [];
let peers: (string | null)[] = [];

beforeAll(async () => {
  clock = virtualClock();
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", clock, maxMessageSize: 300_000 });
    app.addGrpcService(catalog, {
      GetBook: ({ id }, call) => {
        handled.push(id);
        peers.push(call.peer);
        if (id === 6)
          for (const name of ["constructor", "__proto__", "tostring"]) {
            call.responseHeaders.append(name, "1").append(name, "2");
            call.trailers.append(name, "3");
          }
        if (id === 7) {
          const metadata = Object.fromEntries([
            ["__proto__", "1"],
            ["constructor", "2"],
            ["Bad Name", "3"],
          ]);
          throw new GrpcError("NOT_FOUND", "no book", { metadata });
        }
        if (id === 4) call.trailers.append("x-shelf", "1").append("x-shelf", "2");
        const values = call.metadata.getAll("x-title");
        const keys = call.metadata.getBinary("x-key-bin").map((bytes) => bytes.join(" "));
        const size = id === 5 ? 250_000 : 0;
        return { ...aBook(id), title: [...values, ...keys].join("|") + "x".repeat(size) };
      },
    });
  });
  session = connect(`http://${served.target}`);
  session.on("error", () => {});
});

afterAll(async () => {
  session.destroy();
  await served[Symbol.asyncDispose]();
});

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

const inProgress = (): number => (served.app.snapshot()["grpc"] as { readonly calls: number }).calls;

const message = (id: number): Buffer => framed(Buffer.from([8, id]));

/** Opens a call whose body the test sends. */
const open = (headers: Readonly<Record<string, string>> = {}) => {
  const stream = session.request({
    ":method": "POST",
    ":path": "/books.v1.Catalog/GetBook",
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
  stream.on("error", () => {});
  const fields: Record<string, unknown> = {};
  const take = (received: object): void => void Object.assign(fields, received);
  stream.on("response", take).on("trailers", take);
  return { stream, fields };
};

test("a message may arrive byte by byte", async () => {
  const { stream, fields } = open();
  stream.resume();
  for (const byte of message(1)) {
    await new Promise<void>((resolve) => stream.write(Buffer.from([byte]), () => resolve()));
    await new Promise((resolve) => session.ping(() => resolve(null)));
  }
  stream.end();
  await once(stream, "close");
  expect(fields["grpc-status"]).toBe("0");
});

test("a message of 200 kB, which arrives in many frames, is read", async () => {
  const text = Buffer.alloc(200_000, "x");
  const unknownField = Buffer.concat([Buffer.from([0x7a, 0xc0, 0x9a, 0x0c]), text]); // field 15 of 200,000 bytes
  const body = framed(Buffer.concat([Buffer.from([8, 1]), unknownField]));
  expect((await rawCallOver(session, { body })).status).toBe("0");
});

test.each([
  ["no message", Buffer.alloc(0), "12"],
  ["two messages", Buffer.concat([message(1), message(1)]), "12"],
  ["a part of the prefix", message(1).subarray(0, 3), "13"],
  ["a part of a message", message(1).subarray(0, 6), "13"],
  ["a compressed message without an encoding", framed(gzipSync(Buffer.from([8, 1])), 1), "13"],
  ["an unknown flag", framed(Buffer.from([8, 1]), 255), "13"],
  ["a message above the limit", framed(Buffer.alloc(300_001)), "8"],
])("%s is refused without calling the handler", async (_, body, status) => {
  handled = [];
  expect((await rawCallOver(session, { body })).status).toBe(status);
  expect(handled).toEqual([]);
});

test("a compressed message with its encoding is read, and so is an uncompressed one with the encoding identity", async () => {
  const zipped = framed(gzipSync(Buffer.from([8, 1])), 1);
  const gzip = { "grpc-encoding": "gzip" };
  expect((await rawCallOver(session, { body: zipped, headers: gzip })).status).toBe("0");
  const identity = { "grpc-encoding": "identity" };
  expect((await rawCallOver(session, { body: message(1), headers: identity })).status).toBe("0");
});

test("metadata arrives as text, and as bytes for names that end in -bin", async () => {
  const headers = { "x-title": "a, b", "x-key-bin": `${Buffer.from([1, 2]).toString("base64")},/w` };
  const { body } = await rawCallOver(session, { body: message(1), headers });
  expect(body.toString("latin1")).toContain("a, b|1 2|255");
});

test("a call has the address of its client", async () => {
  peers = [];
  await rawCallOver(session, { body: message(1) });
  expect(peers).toEqual([`127.0.0.1:${session.socket.localPort}`]);
});

test("all values of a trailer arrive", async () => {
  const { status, fields } = await rawCallOver(session, { body: message(4) });
  expect([status, fields["x-shelf"]]).toEqual(["0", "1, 2"]);
});

test("metadata may have the names of properties of Object.prototype", async () => {
  const stream = session.request({
    ":method": "POST",
    ":path": "/books.v1.Catalog/GetBook",
    "content-type": "application/grpc",
    te: "trailers",
  });
  const seen: (readonly [name: string, value: unknown])[] = [];
  stream.on("response", (headers) => seen.push(...Object.entries(headers)));
  stream.on("trailers", (trailers) => seen.push(...Object.entries(trailers)));
  stream.resume();
  stream.end(message(6));
  await once(stream, "close");
  expect(seen).toEqual(
    expect.arrayContaining([
      ["constructor", "1, 2"],
      ["constructor", "3"],
      ["__proto__", "1, 2"],
      ["__proto__", "3"],
      ["grpc-status", "0"],
    ]),
  );
  const { fields } = await rawCallOver(session, { body: message(7) });
  expect(fields).toMatchObject({ "grpc-status": "5", constructor: "2" });
});

test("the deadline of the client ends a call whose message does not arrive", async () => {
  const { stream, fields } = open({ "grpc-timeout": "1S" });
  stream.resume();
  const response = once(stream, "response");
  stream.write(message(1).subarray(0, 6));
  await until(() => inProgress() === 1);
  await clock.advance(1100);
  await response;
  expect(fields["grpc-status"]).toBe("4");
  stream.end();
  await once(stream, "close");
});

test("maxCallSecs ends a call whose message does not arrive", async () => {
  const { stream, fields } = open();
  stream.resume();
  const response = once(stream, "response");
  stream.write(message(1).subarray(0, 6));
  await until(() => inProgress() === 1);
  await clock.advance(301_000);
  await response;
  expect(fields["grpc-status"]).toBe("4");
  stream.end();
  await once(stream, "close");
});

test("the stream of a client that does not read the reply is closed", async () => {
  const slow = connect(`http://${served.target}`, { settings: { initialWindowSize: 1000 } });
  slow.on("error", () => {});
  const stream = slow.request({
    ":method": "POST",
    ":path": "/books.v1.Catalog/GetBook",
    "content-type": "application/grpc",
  });
  stream.on("error", () => {});
  stream.pause();
  stream.end(message(5));
  await once(stream, "response");
  await clock.advance(50_000);
  await until(() => stream.closed);
  expect(stream.rstCode).toBe(8); // CANCEL
  slow.destroy();
});

test("a call ends when its client disconnects before the message has arrived", async () => {
  const disconnecting = connect(`http://${served.target}`);
  disconnecting.on("error", () => {});
  const reply = rawCallOver(disconnecting, { body: message(1) });
  await reply;
  const stream = disconnecting.request({
    ":method": "POST",
    ":path": "/books.v1.Catalog/GetBook",
    "content-type": "application/grpc",
  });
  stream.on("error", () => {});
  stream.write(message(1).subarray(0, 6));
  await until(() => inProgress() === 1);
  disconnecting.destroy();
  await until(() => inProgress() === 0);
  expect((await rawCallOver(session, { body: message(1) })).status).toBe("0");
});
