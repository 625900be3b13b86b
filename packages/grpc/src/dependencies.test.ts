import { App, dependency, Depends } from "@framework/core";
import { expect, test } from "@jest/globals";
import { aBook, all, catalog, serve } from "./grpc-app.test-kit.ts";
import { grpc } from "./index.ts";

/** Creates a dependency of scope `invocation`, with the list of its events. */
const sessions = () => {
  const events: string[] = [];
  const Session = dependency("session", {
    scope: "invocation",
    create: async (_needs, { kind, name }) => {
      await Promise.resolve();
      events.push(`open ${kind} ${name}`);
      return { note: (event: string) => events.push(event) };
    },
    dispose: () => void events.push("close"),
  });
  return { Session, events };
};
const Titles = dependency("titles", {
  scope: "invocation",
  create: (_needs, { name }) => ({ of: (id: number) => `${id} in ${name}` }),
});

test("handlers of all four kinds get the dependencies of their service, which live as long as the call", async () => {
  const { Session, events } = sessions();
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" }).addGrpcService(
      catalog,
      {
        GetBook: ({ id }, _call, { session, titles }) => {
          session.note("get");
          return { ...aBook(id), title: titles.of(id) };
        },
        async *ListBooks({ count }, _call, { session }) {
          for (let id = 1; id <= count; id++) {
            session.note(`list ${id}`);
            yield aBook(id);
          }
        },
        AddBooks: {
          handle: async (books, _call, { session }) => {
            let added = 0;
            for await (const { id } of books) {
              session.note(`add ${id}`);
              added++;
            }
            return { added };
          },
        },
        async *Chat(lines, _call, { session }) {
          for await (const { text } of lines) {
            session.note(text);
            yield { text };
          }
        },
      },
      { inject: { session: Session, titles: Titles } },
    );
  });
  const client = served.client(catalog);
  expect((await client.GetBook({ id: 7 })).title).toBe("7 in books.v1.Catalog/GetBook");
  await all(client.ListBooks({ count: 2 }));
  await client.AddBooks([aBook(1), aBook(2)]);
  await all(client.Chat([{ text: "hello" }]));
  const open = "open grpc books.v1.Catalog/";
  expect(events).toEqual(
    [
      [`${open}GetBook`, "get", "close"],
      [`${open}ListBooks`, "list 1", "list 2", "close"],
      [`${open}AddBooks`, "add 1", "add 2", "close"],
      [`${open}Chat`, "hello", "close"],
    ].flat(),
  );
});

test("default arguments of handlers get dependencies, in unary calls and streams", async () => {
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" }).addGrpcService(catalog, {
      GetBook: ({ id }, _call, titles = Depends(Titles)) => ({ ...aBook(id), title: titles.of(id) }),
      async *ListBooks({ count }, _call, titles = Depends(Titles)) {
        await Promise.resolve();
        yield { ...aBook(count), title: titles.of(count) };
      },
    });
  });
  const client = served.client(catalog);
  expect((await client.GetBook({ id: 7 })).title).toBe("7 in books.v1.Catalog/GetBook");
  const [listed] = await all(client.ListBooks({ count: 3 }));
  expect(listed?.title).toBe("3 in books.v1.Catalog/ListBooks");
});

test("unregistered dependencies are reported at start, with the service that needs them", async () => {
  const Mailer = dependency<{ send(): void }>("mailer");
  const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:0" });
  app.addGrpcService(catalog, { GetBook: () => aBook(1) }, { inject: { mailer: Mailer } });
  await expect(app.start()).rejects.toThrow(/gRPC service books\.v1\.Catalog[^]*mailer/);
});
