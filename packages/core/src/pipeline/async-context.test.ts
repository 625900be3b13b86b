import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test } from "@jest/globals";
import { App, type HttpRequest, Response } from "../index.ts";

const user = new AsyncLocalStorage<string>();
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function* users(seen: unknown[] = []): AsyncGenerator<string> {
  try {
    yield String(user.getStore());
    await nextTurn();
    yield String(user.getStore());
  } finally {
    seen.push(user.getStore());
  }
}

/** Returns the reply text of a route whose middleware calls `next` in the context of a user. */
const fetchText = async (handler: (request: HttpRequest) => unknown): Promise<string> => {
  const app = new App().use((_request, next) => user.run("ada", () => next(_request)));
  app.get("/", handler);
  const reply = await app.fetch(new Request("http://host.test/"));
  return user.run("somebody else", () => reply.text());
};

test.each<[string, (request: HttpRequest) => unknown]>([
  ["a generator", () => users()],
  ["a generator of an async handler", async () => (await nextTurn(), users())],
  ["Response.stream", async () => (await nextTurn(), Response.stream(users()))],
  ["Response.stream of an iterable", () => Response.stream({ [Symbol.asyncIterator]: () => users() })],
])("a streamed body runs in the context of the middleware around its handler: %s", async (_, handler) => {
  expect(await fetchText(handler)).toBe("adaada");
});

test("a generator of events runs in the context of the middleware around its handler", async () => {
  expect(await fetchText(() => Response.sse(users()))).toBe("data: ada\n\ndata: ada\n\n");
});

test("a generator that a client abandons ends in its context", async () => {
  const seen: unknown[] = [];
  const app = new App().use((request, next) => user.run("ada", () => next(request)));
  app.get("/", () => users(seen));
  const reply = await app.fetch(new Request("http://host.test/"));
  const reader = reply.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect(seen).toEqual(["ada"]);
});

test("a deferred task runs in the context of its call", async () => {
  const seen: unknown[] = [];
  const done = Promise.withResolvers<void>();
  await fetchText((request) => {
    request.defer(() => void seen.push(user.getStore()));
    user.run("eve", () =>
      request.defer(async () => {
        await nextTurn();
        seen.push(user.getStore());
        done.resolve();
      }),
    );
    return "x";
  });
  await done.promise;
  expect(seen).toEqual(["ada", "eve"]);
});
