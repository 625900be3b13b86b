import { expect, test } from "@jest/globals";
import { App, dependency, Depends, type Handler, type HttpRequest, Response } from "../index.ts";

interface Connection {
  isOpen: boolean;
}

/** An app with a connection for each request; `seen` gets an entry when a connection is disposed of. */
const connected = async (register: (app: App, seen: string[]) => void) => {
  const seen: string[] = [];
  const app = new App();
  register(app, seen);
  const log = { info() {}, warn() {}, error: (message: string) => void seen.push(message) };
  await app.start({ log, env: "production" });
  await (await app.fetch(new Request("http://host.test/x"))).text();
  await app.stop();
  return seen;
};
const connectionOf = (seen: string[]) =>
  dependency<Connection>("connection", {
    scope: "invocation",
    create: () => ({ isOpen: true }),
    dispose(connection) {
      connection.isOpen = false;
      seen.push("disposed");
    },
  });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const stateOf = ({ isOpen }: Connection): string => (isOpen ? "open" : "closed");

test("the dependencies of a handler live until its deferred tasks are done, nested ones included", async () => {
  const seen = await connected((app, words) => {
    app.get("/x", { inject: { db: connectionOf(words) } }, (request, { db }) => {
      request.defer(async () => {
        words.push(stateOf(db));
        await turn();
        request.defer(async () => {
          await turn();
          words.push(stateOf(db));
        });
      });
      return "";
    });
  });
  expect(seen).toEqual(["open", "open", "disposed"]);
});

test("a dependency created by Depends lives until the deferred tasks are done", async () => {
  const seen = await connected((app, words) => {
    const Db = connectionOf(words);
    app.get("/x", (request, db = Depends(Db)) => {
      request.defer(async () => {
        await turn();
        words.push(stateOf(db));
      });
      return "";
    });
  });
  expect(seen).toEqual(["open", "disposed"]);
});

test("a deferred task may call the handler; its dependencies then live until the task is done", async () => {
  const seen = await connected((app, words) => {
    app.use((request: HttpRequest, next: Handler<HttpRequest, Response>) => {
      request.defer(async () => {
        await next(request);
        await turn();
        words.push("task done");
      });
      return Response.noContent();
    });
    app.get("/x", { inject: { db: connectionOf(words) } }, async (_request, { db }) => {
      await turn();
      words.push(stateOf(db));
      return "";
    });
  });
  expect(seen).toEqual(["open", "task done", "disposed"]);
});

test("a task that a deferred task defers runs after the tasks deferred before it", async () => {
  const seen = await connected((app, words) => {
    app.get("/x", (request) => {
      request.defer(async () => {
        await turn();
        words.push("first");
        request.defer(() => void words.push("third"));
      });
      request.defer(() => void words.push("second"));
      return "";
    });
  });
  expect(seen).toEqual(["first", "second", "third"]);
});

test("a task that is deferred after all others are done still runs", async () => {
  const late = Promise.withResolvers<void>();
  const seen = await connected((app, words) => {
    app.get("/x", (request) => {
      request.defer(() => void words.push("in time"));
      request.onEnd(() => {
        void turn().then(() => {
          request.defer(() => {
            words.push("late");
            late.resolve();
          });
        });
      });
      return "";
    });
    app.onEvent("shutdown", () => late.promise);
  });
  expect(seen).toEqual(["in time", "late"]);
});
