import { expect, test } from "@jest/globals";
import { App, ConfigurationError, dependency, Depends, type Token } from "../index.ts";

interface Clock {
  now(): number;
}
const Clock: Token<Clock> = dependency<Clock>("clock");
const get = async (app: App, path = "/x") => {
  const reply = await app.fetch(new Request(`http://host.test${path}`));
  return [reply.status, await reply.text()];
};
const log = { info() {}, warn() {}, error() {} };

test.each([
  [
    "Depends by token, synchronous",
    (app: App) => app.get("/x", (_request, clock = Depends(Clock)) => clock.now()),
  ],
  [
    "Depends by token, asynchronous",
    (app: App) => app.get("/x", async (_request, clock = Depends(Clock)) => clock.now()),
  ],
  [
    "Depends by name",
    (app: App) => app.get("/x", (_request, clock = Depends<Clock>("clock")) => clock.now()),
  ],
  [
    "inject by token",
    (app: App) => app.get("/x", { inject: { clock: Clock } }, (_request, { clock }) => clock.now()),
  ],
])("a singleton reaches the handler: %s", async (_name, register) => {
  const app = new App().registerSingleton("clock", { now: () => 7 });
  register(app);
  expect(await get(app)).toEqual([200, "7"]);
});

test("a disconnect while a dependency is being created logs no error", async () => {
  const { promise: creation, resolve: finishCreation } = Promise.withResolvers<number>();
  const Slow = dependency("slow", { scope: "invocation", create: () => creation });
  const errors: string[] = [];
  const app = new App().registerSingleton("clock", 1);
  app.get("/x", { inject: { slow: Slow } }, () => "created");
  await app.start({ log: { ...log, error: (message: string) => void errors.push(message) } });
  const controller = new AbortController();
  const reply = app.fetch(new Request("http://host.test/x", { signal: controller.signal }));
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  finishCreation(1);
  await Promise.allSettled([reply]);
  await app.stop();
  expect(errors).toEqual([]);
});

test("a handler that throws after Depends results in a 500", async () => {
  const app = new App().registerSingleton(Clock, { now: () => 7 });
  app.get("/x", (_request, clock = Depends(Clock)) => {
    throw new Error(String(clock.now()));
  });
  await app.start({ log, env: "production" });
  expect((await get(app))[0]).toBe(500);
});

test("an unregistered name fails at start for inject and at the call for Depends", async () => {
  const injecting = new App().registerSingleton("clock", 1);
  injecting.get("/x", { inject: { c: "clok" } }, () => null);
  await expect(injecting.start()).rejects.toThrow(ConfigurationError);
  await expect(injecting.start()).rejects.toThrow("clock");
  const calling = new App().registerSingleton("clock", 1);
  calling.get("/x", (_request, clock = Depends<number>("clok")) => clock);
  await calling.start({ log });
  expect(await get(calling)).toEqual([500, expect.stringContaining("clock")]);
});

test("injected values that are not dependencies are start errors with their places, reported with all others", async () => {
  const app = new App();
  const Books = dependency("books", { scope: "transient", inject: { db: 7 as never }, create: () => 1 });
  app.get("/a", { inject: { db: 5 as never, none: undefined as never } }, () => "");
  app.get("/b", { inject: 5 as never }, () => "");
  app.get("/c", { inject: { books: Books, missing: "missing" } }, () => "");
  const failure = await app.start({ log }).catch((error: ConfigurationError) => error.message);
  const rule = 'a dependency must be a token, such as dependency("db"), or its name, not';
  for (const message of [
    `GET /a → db: ${rule} 5`,
    `GET /a → none: ${rule} undefined`,
    `GET /b → inject: ${rule} 5`,
    `GET /c → books → db: ${rule} 7`,
    'no dependency is named "missing"',
  ])
    expect(failure).toContain(message);
});

test("registering a name twice fails at start", async () => {
  const app = new App().registerSingleton("clock", 1).registerSingleton("clock", 2);
  await expect(app.start()).rejects.toMatchObject({ code: "CORE_DEPENDENCY_DUPLICATE" });
});

test("a request-scoped value is created once per request and disposed of after the handler", async () => {
  const events: string[] = [];
  let created = 0;
  const Session = dependency("session", {
    scope: "invocation",
    create: () => `session ${++created}`,
    dispose: (session) => void events.push(`disposed ${session}`),
  });
  const app = new App();
  app.get("/x", { inject: { a: Session, b: Session } }, (_request, { a, b }) => {
    events.push("handled");
    return [a, b];
  });
  expect(await get(app)).toEqual([200, '["session 1","session 1"]']);
  expect(await get(app)).toEqual([200, '["session 2","session 2"]']);
  await app.stop();
  expect(events).toEqual(["handled", "disposed session 1", "handled", "disposed session 2"]);
});

test("start rejects a singleton that depends on a request-scoped value", async () => {
  const Session = dependency("session", { scope: "invocation", create: () => 1 });
  const Service = dependency("service", { inject: { session: Session }, create: ({ session }) => session });
  const app = new App();
  app.get("/x", { inject: { service: Service } }, () => null);
  await expect(app.start()).rejects.toThrow(/service.*session/);
});

test("an override applies until it is undone", async () => {
  const app = new App().registerSingleton(Clock, { now: () => 1 });
  app.get("/x", (_request, clock = Depends(Clock)) => clock.now());
  {
    using _undo = app.override(Clock, { now: () => 2 });
    expect(await get(app)).toEqual([200, "2"]);
  }
  expect(await get(app)).toEqual([200, "1"]);
});

test("stop disposes of singletons, the latest first", async () => {
  const order: string[] = [];
  const make = (name: string) =>
    dependency(name, { create: () => name, dispose: () => void order.push(name) });
  const app = new App();
  app.get("/x", { inject: { a: make("a"), b: make("b") } }, () => null);
  await get(app);
  await app.stop();
  expect(order).toEqual(["b", "a"]);
});
