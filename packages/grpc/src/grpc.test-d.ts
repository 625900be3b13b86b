import { App, dependency, Depends } from "@framework/core";
import { z } from "zod";
import { grpcClient } from "./client.ts";
import { grpc, grpcService } from "./index.ts";

const catalog = grpcService("books.v1.Catalog", {
  methods: {
    GetBook: { request: z.object({ id: z.int() }), response: z.object({ title: z.string() }) },
    ListBooks: {
      request: z.object({}),
      response: z.object({ title: z.string() }),
      responseStream: true,
    },
    AddBooks: {
      request: z.object({ title: z.string() }),
      response: z.object({ added: z.int() }),
      requestStream: true,
    },
  },
});

const app = new (App.with(grpc))();
app.enableGrpc({ address: "127.0.0.1:50051" }).addGrpcService(catalog, {
  GetBook: ({ id }) => ({ title: String(id satisfies number) }),
  async *ListBooks() {
    yield { title: "one" };
  },
  AddBooks: {
    guards: [() => true],
    handle: async (books) => {
      for await (const { title } of books) title satisfies string;
      return { added: 1 };
    },
  },
});

const Shelf = dependency<{ title(id: number): string }>("shelf");
app.addGrpcService(
  catalog,
  {
    GetBook: ({ id }, _call, { shelf }) => ({ title: shelf.title(id) }),
    async *ListBooks(_request, _call, { shelf }) {
      yield { title: shelf.title(1) };
    },
    AddBooks: {
      open: true,
      handle: async (books, _call, { shelf }, other = Depends(Shelf)) => {
        for await (const { title } of books) shelf.title(title.length);
        return { added: other.title(2).length };
      },
    },
  },
  { inject: { shelf: Shelf }, timeoutSecs: 3 },
);
app.addGrpcService(catalog, {
  GetBook: ({ id }, _call, shelf = Depends(Shelf)) => ({ title: shelf.title(id) }),
  AddBooks: { handle: (_books, _call, shelf = Depends(Shelf)) => ({ added: shelf.title(3).length }) },
});
// @ts-expect-error nothing is injected
app.addGrpcService(catalog, { GetBook: (_request, _call, { shelf }) => ({ title: shelf }) });

// @ts-expect-error the response lacks a member
app.addGrpcService(catalog, { GetBook: () => ({}) });

// @ts-expect-error a method with a response stream must return an iterable
app.addGrpcService(catalog, { ListBooks: () => ({ title: "one" }) });

// @ts-expect-error the service has no such method
app.addGrpcService(catalog, { GetBok: () => ({ title: "one" }) });

// @ts-expect-error the method exists only where the feature is composed
new App().enableGrpc();

// @ts-expect-error a misspelt option is found by the compiler
app.enableGrpc({ adress: "127.0.0.1:1" });

const client = grpcClient(catalog, "127.0.0.1:50051");
const book: Promise<{ title: string }> = client.GetBook({ id: 1 });
const books: AsyncIterable<{ title: string }> = client.ListBooks({});
const added: Promise<{ added: number }> = client.AddBooks([{ title: "a" }]);
void [book, books, added];

// @ts-expect-error the id is a number
void client.GetBook({ id: "1" });

// @ts-expect-error the client has no such method
void client.GetBok({ id: 1 });
