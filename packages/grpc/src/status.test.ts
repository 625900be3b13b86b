import { App, HttpError } from "@framework/core";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { aBook, all, catalog, failure, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { GrpcError, grpc } from "./index.ts";
import { framed } from "./raw-call.test-kit.ts";

let served: ServedApp;

const long = "x".repeat(200);

const errors: Readonly<Record<number, () => GrpcError>> = {
  1: () => new GrpcError("NOT_FOUND", "no book", { metadata: { "x-title": "caf\u00e9", "x-shelf": "7" } }),
  2: () =>
    new GrpcError("NOT_FOUND", "no book", {
      metadata: { "x title": "a", "grpc-status": "0", x: "\r\nb: c" },
    }),
  3: () =>
    new GrpcError("INVALID_ARGUMENT", "many", {
      details: [
        {
          kind: "badRequest",
          violations: Array.from({ length: 1000 }, (_, at) => ({ field: `f${at}`, description: long })),
        },
      ],
    }),
  4: () => new GrpcError("NOT_FOUND", "\u{1f4d6}".repeat(1000)),
  5: () => new GrpcError("NOT_FOUND", "no book", { metadata: { "x-long": "x".repeat(20_000) } }),
  // Values of untyped programs.
  6: () => new GrpcError("NOT_FOUND", "no book", { metadata: { "x-shelf": undefined as never, "x-a": "b" } }),
  7: () =>
    new GrpcError("NOT_FOUND", "no book", { metadata: { "x-a-bin": undefined as never, x: 1 as never } }),
  8: () => new GrpcError("NOT_FOUND", "no book", { details: [{ kind: "unknown" } as never] }),
  9: () => new GrpcError("NOT_FOUND", "no book", { metadata: null as never }),
  10: () => new GrpcError("NOT_FOUND", "no book", { metadata: { "x-a-bin": 5 as never } }),
  11: () => new GrpcError("NOT_FOUND", "no book", { metadata: { Age: "1", age: "2" } }),
  12: () =>
    new GrpcError("NOT_FOUND", "no book", { metadata: { "content-length": "3", "content-type": "a/b" } }),
};

beforeAll(async () => {
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", enableWeb: true });
    app.addGrpcService(catalog, {
      GetBook: async ({ id }) => {
        await new Promise((resolve) => setImmediate(resolve));
        throw errors[id]?.() ?? new Error("no such case");
      },
      async *ListBooks({ count }) {
        yield aBook(1);
        throw errors[count]?.() ?? new Error("no such case");
      },
      async *Chat(lines, call) {
        for await (const { text } of lines) {
          const [where, name = ""] = text.split(" ");
          const metadata = where === "trailers" ? call.trailers : call.responseHeaders;
          metadata.append(name, "1").append(name, "2");
          yield { text };
        }
      },
      AddBooks: (_, call) => {
        for (let at = 0; at < 50; at++) call.trailers.append("x-many", "x".repeat(1000));
        return { added: 1 };
      },
    });
  });
});

afterAll(() => served[Symbol.asyncDispose]());

test.each([1, 2, 5, 6, 7, 8, 9, 10, 11, 12])(
  "invalid metadata of an error is omitted, and the status is sent: case %i",
  async (id) => {
    const client = served.client(catalog);
    const expected = { status: "NOT_FOUND", message: "no book" };
    expect(await failure(client.GetBook({ id }))).toMatchObject(expected);
    expect(await failure(all(client.ListBooks({ count: id })))).toMatchObject(expected);
  },
);

test("the metadata of a call's error has no content-type, so the error can be thrown again", async () => {
  const error = (await failure(served.client(catalog).GetBook({ id: 4 }))) as GrpcError;
  expect(Object.keys(error.metadata)).not.toContain("content-type");
});

test("middleware that returns a value other than an outcome is INTERNAL, and the service keeps working", async () => {
  await using other = await serve((app) => {
    app.enableGrpc({
      address: "127.0.0.1:0",
      use: [(call, next) => (call.metadata.get("x-bad") === null ? next(call) : (undefined as never))],
    });
    app.addGrpcService(catalog, { GetBook: ({ id }) => aBook(id) });
  });
  const client = other.client(catalog);
  const bad = client.GetBook({ id: 1 }, { metadata: { "x-bad": "1" } });
  expect(await failure(bad)).toMatchObject({ status: "INTERNAL" });
  expect(await client.GetBook({ id: 1 })).toMatchObject({ id: 1 });
});

test("middleware that returns OK for a call without a response is INTERNAL, unless the response is a stream", async () => {
  await using other = await serve((app) => {
    app.enableGrpc({
      address: "127.0.0.1:0",
      use: [
        async (call, next) => {
          if (call.metadata.get("x-skip") !== null) return null;
          await next(call);
          return null; // also for an error
        },
      ],
    });
    app.addGrpcService(catalog, {
      GetBook: ({ id }) => {
        if (id === 2) throw new GrpcError("NOT_FOUND", "no book");
        return aBook(id);
      },
      AddBooks: () => ({ added: 0 }),
      *ListBooks() {
        yield aBook(1);
      },
    });
  });
  const client = other.client(catalog);
  const skip = { metadata: { "x-skip": "1" } };
  expect(await client.GetBook({ id: 1 })).toMatchObject({ id: 1 });
  const failing = [client.GetBook({ id: 1 }, skip), client.GetBook({ id: 2 }), client.AddBooks([], skip)];
  for (const error of await Promise.all(failing.map((call) => failure(call))))
    expect(error).toMatchObject({ status: "INTERNAL" });
  expect(await all(client.ListBooks({ count: 1 }, skip))).toEqual([]);
});

test("valid metadata of an error is sent, even if other metadata of the error is invalid", async () => {
  expect(await failure(served.client(catalog).GetBook({ id: 1 }))).toMatchObject({
    metadata: { "x-shelf": "7" },
  });
});

test("an HttpError above 500 sends its detail as the status message, and its own message is logged", async () => {
  class StockError extends HttpError {
    override readonly detail: string = "A service failed";
  }
  const warnings: unknown[] = [];
  const log = {
    info() {},
    warn: (text: string, fields?: object) => void warnings.push([text, fields]),
    error() {},
  };
  await using own = await serve(
    (app) => {
      app.enableGrpc({ address: "127.0.0.1:0" });
      app.addGrpcService(catalog, {
        GetBook: () => {
          throw new StockError(502, "no route to stock.internal");
        },
      });
    },
    { log },
  );
  expect(await failure(own.client(catalog).GetBook({ id: 1 }))).toMatchObject({
    status: "UNAVAILABLE",
    message: "A service failed",
  });
  expect(warnings).toMatchObject([
    [
      "a gRPC call failed",
      { method: "books.v1.Catalog/GetBook", error: { message: "no route to stock.internal" } },
    ],
  ]);
});

test("details and messages of a status stay within the limits of clients", async () => {
  const client = served.client(catalog);
  const many = (await failure(client.GetBook({ id: 3 }))) as GrpcError;
  expect(many.status).toBe("INVALID_ARGUMENT");
  const [detail] = many.details;
  expect(detail?.kind).toBe("badRequest");
  expect(JSON.stringify(detail).length).toBeLessThan(8192);
  const book = (await failure(client.GetBook({ id: 4 }))) as GrpcError;
  expect(encodeURI(book.message).length).toBeLessThan(3100);
  expect(book.message.isWellFormed()).toBe(true);
});

test.each([
  "trailers connection",
  "headers connection",
  "trailers age",
  "headers age",
  "trailers content-length",
  "headers content-length",
  "headers content-type",
])("metadata that HTTP/2 forbids fails its call, and the service keeps working: %s", async (text) => {
  const client = served.client(catalog);
  expect(await failure(all(client.Chat([{ text }])))).toMatchObject({ status: "INTERNAL" });
  expect(await all(client.Chat([{ text: "trailers x-many" }]))).toEqual([{ text: "trailers x-many" }]);
});

test("a reply with 50 KB of metadata is INTERNAL", async () => {
  expect(await failure(served.client(catalog).AddBooks([]))).toMatchObject({ status: "INTERNAL" });
});

test("an error cannot inject fields into the trailers of gRPC-Web", async () => {
  const app = new (App.with(grpc))().enableGrpc({ enableWeb: true });
  app.addGrpcService(catalog, {
    GetBook: () => {
      throw new GrpcError("NOT_FOUND", "no book", { metadata: { x: "a\r\ngrpc-status: 0" } });
    },
  });
  await app.start();
  const reply = await app.fetch(
    new Request("http://host.test/books.v1.Catalog/GetBook", {
      method: "POST",
      body: framed(Buffer.from([8, 1])),
      headers: { "content-type": "application/grpc-web+proto" },
    }),
  );
  const body = await reply.text();
  expect(body).toContain("grpc-status: 5");
  expect(body).not.toContain("grpc-status: 0");
  await app.stop();
});
