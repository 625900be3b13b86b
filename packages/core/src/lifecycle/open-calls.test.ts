import { expect, test } from "@jest/globals";
import { App, dependency, Response } from "../index.ts";

const get = (app: App) => app.fetch(new Request("http://host.test/"));
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An app that records when it stops. */
const recordingApp = (): { app: App; events: string[] } => {
  const events: string[] = [];
  return { events, app: new App().onEvent("shutdown", () => void events.push("shutdown")) };
};

test("stop waits for calls of fetch before it runs stop tasks, and later calls get 503", async () => {
  const { app, events } = recordingApp();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  app.get("/", async () => {
    await gate;
    events.push("handler");
    return "done";
  });
  await app.start();
  const reply = get(app);
  await tick();
  const stopped = app.stop();
  await tick();
  expect((await get(app)).status).toBe(503);
  expect(events).toEqual([]);
  open();
  await stopped;
  expect(events).toEqual(["handler", "shutdown"]);
  expect(await (await reply).text()).toBe("done");
});

test("stop waits for a body that is being read, but not for an unread body", async () => {
  const { app, events } = recordingApp();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const body = async function* () {
    yield "one ";
    await gate;
    events.push("read");
    yield "two";
  };
  app.get("/", () => Response.stream(body()));
  const [read] = await Promise.all([get(app), get(app)]);
  const text = read.text();
  await tick();
  const stopped = app.stop();
  await tick();
  expect(events).toEqual([]);
  open();
  await stopped;
  expect(events).toEqual(["read", "shutdown"]);
  expect(await text).toBe("one two");
});

test("a call that is open at the deadline of a stop is cut: its signal aborts and the stop tasks run", async () => {
  const { app, events } = recordingApp();
  const lines: unknown[] = [];
  app.get("/", async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    events.push("aborted");
    return null;
  });
  const log = {
    info() {},
    warn() {},
    error: (message: string, fields?: object) => void lines.push(message, fields),
  };
  await app.start({ log });
  const reply = get(app);
  await tick();
  await app.stop({ timeoutSecs: 0.01 });
  expect(events).toEqual(["aborted", "shutdown"]);
  expect(lines).toEqual(["the drain passed its deadline; calls of fetch were cut", { cut: 1 }]);
  expect((await reply).status).toBe(204);
});

test("a network error reply counts as ended", async () => {
  const { app, events } = recordingApp();
  app.use((request, next) => {
    request.onEnd((end) => events.push(end));
    return next(request);
  });
  app.use(() => Response.error());
  expect((await get(app)).type).toBe("error");
  await app.stop();
  expect(events).toEqual(["sent", "shutdown"]);
});

test("a background task that does not end delays a stop until its deadline, and the stop tasks run", async () => {
  const { app, events } = recordingApp();
  const errors: unknown[] = [];
  app.get("/", (request) => {
    request.defer(() => new Promise<void>(() => {}));
    return "sent";
  });
  const record = (message: string, fields?: object): void => void errors.push([message, fields]);
  await app.start({ log: { info() {}, warn() {}, error: record } });
  await (await get(app)).text();
  await tick();
  await app.stop({ timeoutSecs: 0.05 });
  expect(events).toEqual(["shutdown"]);
  expect(errors).toEqual([
    ["the drain passed its deadline; background tasks were still running or waiting", { tasks: 1 }],
  ]);
});

test("a call that ignores its abort does not prevent the disposal of singletons", async () => {
  const { app, events } = recordingApp();
  const errors: string[] = [];
  const Pool = dependency("pool", { create: () => 1, dispose: () => void events.push("disposed") });
  app.get("/", { inject: { pool: Pool } }, () => new Promise<string>(() => {}));
  await app.start({ log: { info() {}, warn() {}, error: (message) => void errors.push(message) } });
  void get(app).catch(() => {});
  await tick();
  await app.stop({ timeoutSecs: 0.05 });
  expect(events).toEqual(["shutdown", "disposed"]);
  expect(errors).toEqual([
    "the drain passed its deadline; calls of fetch were cut",
    "calls that use dependencies had not ended when the app disposed of them",
  ]);
});

test("the deferred task of a call that is cut has time to end before the stop tasks", async () => {
  const { app, events } = recordingApp();
  app.get("/", (request) => {
    request.defer(async () => {
      await tick();
      events.push("deferred");
    });
    return new Promise<string>(() => {});
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  void get(app).catch(() => {});
  await tick();
  await app.stop({ timeoutSecs: 2 });
  expect(events).toEqual(["deferred", "shutdown"]);
});
