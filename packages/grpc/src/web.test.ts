import { once } from "node:events";
import { App, Response } from "@framework/core";
import { cors } from "@framework/cors";
import { waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { aBook, catalog } from "./grpc-app.test-kit.ts";
import { GrpcError, grpc } from "./index.ts";

class WebApp extends App.with(cors, grpc) {}

let app: WebApp;
/** Signals of the calls that wait for their abort. */
const waiting: AbortSignal[] = [];

beforeAll(async () => {
  app = new WebApp()
    .enableCors(["https://shop.example"])
    .enableGrpc({ enableWeb: true, maxMessageSize: 1000 });
  app.addGrpcService(catalog, {
    GetBook: ({ id }, call) => {
      if (id === 404) throw new GrpcError("NOT_FOUND", "no book: 100 %");
      if (id === 411) {
        call.trailers.set("x-shelf", "1");
        call.trailers.set("x-room", "2");
        throw new GrpcError("NOT_FOUND", "gone", { metadata: { "X-Shelf": "7" } });
      }
      if (id === 410) throw new GrpcError("NOT_FOUND", "gone", { metadata: { "X-Shelf": "7" } });
      call.trailers.set("x-count", "3");
      return aBook(id);
    },
    ListBooks: {
      timeoutSecs: 0,
      async *handle({ count }, { signal }) {
        if (count === 0) {
          waiting.push(signal);
          await once(signal, "abort");
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
        for (let id = 1; id <= count; id++) yield aBook(id);
        if (count === 3) throw new GrpcError("DATA_LOSS", "lost");
      },
    },
  });
  await app.start();
});

afterAll(() => app.stop());

const codecs = catalog.resolve({ recorded: false });
const codecOf = (name: string) => {
  const method = codecs.methods.find((each) => each.name === name);
  if (method === undefined) throw new Error(`no method ${name}`);
  return method;
};

const framed = (message: Uint8Array, flags = 0): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
};

interface Frames {
  readonly messages: readonly unknown[];
  readonly trailers: Readonly<Record<string, string>>;
}

const read = (method: string, body: Buffer): Frames => {
  const messages: unknown[] = [];
  const trailers: Record<string, string> = {};
  for (let at = 0; at < body.length;) {
    const content = body.subarray(at + 5, at + 5 + body.readUInt32BE(at + 1));
    if (body[at] === 0x80)
      for (const line of content.toString().split("\r\n").filter(Boolean)) {
        const colon = line.indexOf(": ");
        trailers[line.slice(0, colon)] = line.slice(colon + 2);
      }
    else messages.push(codecOf(method).response.decode(content));
    at += 5 + content.length;
  }
  return { messages, trailers };
};

const post = (method: string, body: Uint8Array | string, headers: Record<string, string> = {}) =>
  app.fetch(
    new Request(`http://host.test/books.v1.Catalog/${method}`, {
      method: "POST",
      body: body as Uint8Array<ArrayBuffer> | string,
      headers: { "content-type": "application/grpc-web+proto", "x-grpc-web": "1", ...headers },
    }),
  );

const call = async (method: string, request: unknown, headers?: Record<string, string>) => {
  const reply = await post(method, framed(codecOf(method).request.encode(request)), headers);
  return { reply, ...read(method, Buffer.from(await reply.arrayBuffer())) };
};

test("the reply to a unary call is a message and trailers", async () => {
  const { reply, messages, trailers } = await call("GetBook", { id: 7 });
  expect(reply.status).toBe(200);
  expect(reply.headers.get("content-type")).toBe("application/grpc-web+proto");
  expect(messages).toEqual([aBook(7)]);
  expect(trailers).toEqual({ "grpc-status": "0", "x-count": "3" });
});

test("the reply to a streaming call is its messages and its status, even if it fails after messages", async () => {
  const { messages, trailers } = await call("ListBooks", { count: 3 });
  expect(messages).toEqual([aBook(1), aBook(2), aBook(3)]);
  expect(trailers).toEqual({ "grpc-status": "15", "grpc-message": "lost" });
});

test("the message of a status is percent-encoded", async () => {
  const { messages, trailers } = await call("GetBook", { id: 404 });
  expect([messages, trailers]).toEqual([
    [],
    { "grpc-status": "5", "grpc-message": "no%20book%3A%20100%20%25" },
  ]);
});

test("names of an error's metadata are sent in lower case, as gRPC-Web requires", async () => {
  const { trailers } = await call("GetBook", { id: 410 });
  expect(trailers).toEqual({ "grpc-status": "5", "grpc-message": "gone", "x-shelf": "7" });
});

test("metadata of an error replaces trailers of the same name", async () => {
  const { trailers } = await call("GetBook", { id: 411 });
  expect(trailers).toEqual({ "grpc-status": "5", "grpc-message": "gone", "x-shelf": "7", "x-room": "2" });
  const reply = await post("GetBook", framed(codecOf("GetBook").request.encode({ id: 411 })));
  expect((await reply.text()).match(/x-shelf/g)).toHaveLength(1);
});

test("application/grpc-web-text is Base64, and may be several concatenated parts", async () => {
  const bytes = framed(codecOf("GetBook").request.encode({ id: 7 }));
  const text = bytes.subarray(0, 5).toString("base64") + bytes.subarray(5).toString("base64");
  const reply = await post("GetBook", text, { "content-type": "application/grpc-web-text" });
  expect(reply.headers.get("content-type")).toBe("application/grpc-web-text+proto");
  const parts = (await reply.text()).split(/(?<==)(?!=)/);
  const { messages, trailers } = read(
    "GetBook",
    Buffer.concat(parts.map((part) => Buffer.from(part, "base64"))),
  );
  expect([messages, trailers["grpc-status"]]).toEqual([[aBook(7)], "0"]);
});

test.each([
  ["a stream of requests", "AddBooks", framed(Buffer.alloc(0)), "12"],
  ["an unknown method", "Nothing", framed(Buffer.alloc(0)), "12"],
  ["a compressed message", "GetBook", framed(Buffer.alloc(3), 1), "12"],
  ["no message", "GetBook", Buffer.alloc(0), "13"],
  ["half a message", "GetBook", framed(Buffer.alloc(9)).subarray(0, 9), "13"],
  ["a length above the limit", "GetBook", Buffer.from([0, 127, 0, 0, 0]), "8"],
  ["a body above the limit", "GetBook", framed(Buffer.alloc(4000)), "8"],
  ["bytes that are not a message", "GetBook", framed(Buffer.from([8])), "13"],
])("%s is refused with a status", async (_, method, body, status) => {
  const reply = await post(method, body);
  expect([
    reply.status,
    read("GetBook", Buffer.from(await reply.arrayBuffer())).trailers["grpc-status"],
  ]).toEqual([200, status]);
});

test("a passed deadline ends the call", async () => {
  const { trailers } = await call("ListBooks", { count: 0 }, { "grpc-timeout": "1m" });
  expect(trailers["grpc-status"]).toBe("4");
});

test.each([
  ["a malformed deadline", { "grpc-timeout": "soon" }],
  ["bytes that are not Base64", { "x-key-bin": "!!!" }],
])("%s is INTERNAL", async (_, headers) => {
  const { messages, trailers } = await call("GetBook", { id: 7 }, headers);
  expect([messages, trailers["grpc-status"]]).toEqual([[], "13"]);
});

test("binary metadata counts toward the limit in its Base64 form, as in gRPC", async () => {
  const statusWith = async (bytes: number): Promise<string | undefined> => {
    const value = Buffer.alloc(bytes).toString("base64");
    return (await call("GetBook", { id: 7 }, { "x-key-bin": value })).trailers["grpc-status"];
  };
  expect([await statusWith(6000), await statusWith(7000)]).toEqual(["0", "8"]); // 8000 and 9336 characters; the limit is 8192
});

test.each(["before the call", "during the call"])(
  "a call whose client disconnects %s is aborted, and its reply ends",
  async (when) => {
    const client = new AbortController();
    const begun = waiting.length;
    if (when === "before the call") client.abort();
    const body = framed(codecOf("ListBooks").request.encode({ count: 0 })) as Uint8Array<ArrayBuffer>;
    const headers = { "content-type": "application/grpc-web+proto" };
    const url = "http://host.test/books.v1.Catalog/ListBooks";
    const reply = app.fetch(new Request(url, { method: "POST", body, headers, signal: client.signal }));
    if (when === "during the call") {
      await waitFor(() => waiting.length > begun);
      client.abort();
    }
    await reply.then(
      (given) => given.text(),
      () => {}, // a request that was already aborted may be refused
    );
    expect(app.snapshot()["grpc"]).toMatchObject({ calls: 0 });
    expect(waiting.every(({ aborted }) => aborted)).toBe(true);
  },
);

test("a distant deadline does not end the call", async () => {
  const { trailers } = await call("ListBooks", { count: 2 }, { "grpc-timeout": "99999999H" });
  expect(trailers["grpc-status"]).toBe("0");
});

test("other content types are 415", async () => {
  expect((await post("GetBook", "{}", { "content-type": "application/json" })).status).toBe(415);
});

test("pages of an allowed origin may send the fields of gRPC-Web and read the status", async () => {
  const preflight = await app.fetch(
    new Request("http://host.test/books.v1.Catalog/GetBook", {
      method: "OPTIONS",
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,grpc-timeout,x-grpc-web,x-user-agent",
      },
    }),
  );
  expect(preflight.status).toBe(204);
  const allowed = (preflight.headers.get("access-control-allow-headers") ?? "").toLowerCase();
  for (const name of ["grpc-timeout", "x-grpc-web", "x-user-agent"]) expect(allowed).toContain(name);
  const { reply } = await call("GetBook", { id: 7 }, { origin: "https://shop.example" });
  expect(reply.headers.get("access-control-allow-origin")).toBe("https://shop.example");
  expect((reply.headers.get("access-control-expose-headers") ?? "").toLowerCase()).toContain("grpc-status");
});

test("without enableWeb the paths do not exist", async () => {
  const plain = new (App.with(grpc))().enableGrpc();
  plain.addGrpcService(catalog, {});
  plain.get("/", () => Response.noContent());
  const reply = await plain.fetch(
    new Request("http://host.test/books.v1.Catalog/GetBook", { method: "POST" }),
  );
  expect(reply.status).toBe(404);
  await plain.stop();
});
