import { expect, test } from "@jest/globals";
import { App, dependency, Depends, type Handler, type HttpRequest, Response } from "../index.ts";

interface Connection {
  isOpen: boolean;
}

/** Sends one request to an app, stops the app, and returns the recorded events and error messages. */
const eventsOf = async (register: (app: App, events: string[]) => void) => {
  const events: string[] = [];
  const app = new App();
  register(app, events);
  const log = { info() {}, warn() {}, error: (message: string) => void events.push(message) };
  await app.start({ log, env: "production" });
  await (await app.fetch(new Request("http://host.test/x"))).text();
  await app.stop();
  return events;
};
/** A dependency with one connection per request, which records its disposal. */
const connectionOf = (events: string[]) =>
  dependency<Connection>("connection", {
    scope: "invocation",
    create: () => ({ isOpen: true }),
    dispose(connection) {
      connection.isOpen = false;
      events.push("disposed");
    },
  });
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const stateOf = ({ isOpen }: Connection): string => (isOpen ? "open" : "closed");

test("the dependencies of a handler live until its deferred tasks are done, including nested ones", async () => {
  const events = await eventsOf((app, log) => {
    app.get("/x", { inject: { db: connectionOf(log) } }, (request, { db }) => {
      request.defer(async () => {
        log.push(stateOf(db));
        await nextTurn();
        request.defer(async () => {
          await nextTurn();
          log.push(stateOf(db));
        });
      });
      return "";
    });
  });
  expect(events).toEqual(["open", "open", "disposed"]);
});

test("a dependency created by Depends lives until the deferred tasks are done", async () => {
  const events = await eventsOf((app, log) => {
    const Db = connectionOf(log);
    app.get("/x", (request, db = Depends(Db)) => {
      request.defer(async () => {
        await nextTurn();
        log.push(stateOf(db));
      });
      return "";
    });
  });
  expect(events).toEqual(["open", "disposed"]);
});

test("a deferred task may call the handler; its dependencies then live until the task is done", async () => {
  const events = await eventsOf((app, log) => {
    app.use((request: HttpRequest, next: Handler<HttpRequest, Response>) => {
      request.defer(async () => {
        await next(request);
        await nextTurn();
        log.push("task done");
      });
      return Response.noContent();
    });
    app.get("/x", { inject: { db: connectionOf(log) } }, async (_request, { db }) => {
      await nextTurn();
      log.push(stateOf(db));
      return "";
    });
  });
  expect(events).toEqual(["open", "task done", "disposed"]);
});

test("a task that a deferred task defers runs after the tasks deferred before it", async () => {
  const events = await eventsOf((app, log) => {
    app.get("/x", (request) => {
      request.defer(async () => {
        await nextTurn();
        log.push("first");
        request.defer(() => void log.push("third"));
      });
      request.defer(() => void log.push("second"));
      return "";
    });
  });
  expect(events).toEqual(["first", "second", "third"]);
});

test("a task that is deferred after all others are done still runs", async () => {
  const late = Promise.withResolvers<void>();
  const events = await eventsOf((app, log) => {
    app.get("/x", (request) => {
      request.defer(() => void log.push("in time"));
      request.onEnd(() => {
        void nextTurn().then(() => {
          request.defer(() => {
            log.push("late");
            late.resolve();
          });
        });
      });
      return "";
    });
    app.onEvent("shutdown", () => late.promise);
  });
  expect(events).toEqual(["in time", "late"]);
});
