import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { aBook, all, type Book, catalog, failure, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { GrpcError } from "./index.ts";

let served: ServedApp;

beforeAll(async () => {
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(catalog, {
      GetBook: ({ id }, call) => {
        if (id === 404) throw new GrpcError("NOT_FOUND", "no such book", { metadata: { "x-shelf": "7" } });
        if (id === 500) throw new Error("secret path /etc/x");
        call.responseHeaders.set("x-served-by", "test");
        call.trailers.set("x-trace-bin", new Uint8Array([1, 2, 255]));
        return {
          ...aBook(id),
          title: call.metadata.get("x-title") ?? "untitled",
          author: { name: "A", born: null },
          extra: { a: "1", __proto__: "2" } as Record<string, string>,
          note: { deep: [1, null, "x", true] },
        };
      },
      async *ListBooks({ count }) {
        for (let id = 1; id <= count; id++) yield aBook(id);
      },
      async AddBooks(books) {
        let added = 0;
        for await (const book of books) added += book.tags.length + 1;
        return { added };
      },
      async *Chat(messages) {
        for await (const { text } of messages) {
          if (text === "fail") throw new GrpcError("ABORTED", "conversation über\n100 %");
          yield { text: `re: ${text}` };
        }
      },
    });
  });
});

afterAll(() => served[Symbol.asyncDispose]());

test("a unary call returns every type of field", async () => {
  const client = served.client(catalog);
  expect(await client.GetBook({ id: 7 }, { metadata: { "x-title": "Dune" } })).toEqual({
    id: 7,
    title: "Dune",
    tags: [],
    author: { name: "A", born: null },
    extra: { a: "1" },
    note: { deep: [1, null, "x", true] },
  });
});

test("server-streaming, client-streaming and bidirectional calls return their responses", async () => {
  const client = served.client(catalog);
  expect((await all(client.ListBooks({ count: 1000 }))).map(({ id }) => id)).toEqual(
    Array.from({ length: 1000 }, (_, at) => at + 1),
  );
  const books: Book[] = [aBook(1), { ...aBook(2), tags: ["a", "b"] }];
  expect(await client.AddBooks(books)).toEqual({ added: 4 });
  expect(await all(client.Chat([{ text: "a" }, { text: "b" }]))).toEqual([
    { text: "re: a" },
    { text: "re: b" },
  ]);
});

test("an empty stream of each kind ends with OK", async () => {
  const client = served.client(catalog);
  expect(await all(client.ListBooks({ count: 0 }))).toEqual([]);
  expect(await client.AddBooks([])).toEqual({ added: 0 });
  expect(await all(client.Chat([]))).toEqual([]);
});

test("an error has its status, its exact message and its metadata", async () => {
  const client = served.client(catalog);
  const error = await failure(client.GetBook({ id: 404 }));
  expect(error).toMatchObject({ status: "NOT_FOUND", message: "no such book", metadata: { "x-shelf": "7" } });
  const streamError = await failure(all(client.Chat([{ text: "a" }, { text: "fail" }])));
  expect(streamError).toMatchObject({ status: "ABORTED", message: "conversation über\n100 %" });
});

test("input that does not match the schema is INVALID_ARGUMENT with the invalid fields", async () => {
  const error = await failure(served.client(catalog).GetBook({ id: -1 }));
  expect(error).toMatchObject({
    status: "INVALID_ARGUMENT",
    details: [{ kind: "badRequest", violations: [{ field: "id" }] }],
  });
});

test("an unexpected error of a handler is INTERNAL", async () => {
  const client = served.client(catalog);
  expect(await failure(client.GetBook({ id: 500 }))).toMatchObject({ status: "INTERNAL" });
});
