import { expect, test } from "@jest/globals";
import { send, startQuietly } from "../app-requests.test-kit.ts";
import { App, Depends } from "../index.ts";
import { invocation, newContainer } from "./container.test-kit.ts";
import { dependency } from "./token.ts";

test("a provider replaces a token's factory, keeps the token's scope, and may replace its dispose", async () => {
  const { container } = newContainer();
  const ends: string[] = [];
  const Db = dependency<string>("db");
  const Session = dependency<string>("session", {
    scope: "invocation",
    dispose: (value) => void ends.push(`token ${value}`),
  });
  const Trace = dependency<string>("trace", { scope: "invocation", dispose: () => void ends.push("unused") });
  container.provide(Db, (none) => `pool ${typeof none}`);
  container.provide(Session, (current) => `session ${current?.name}`);
  container.provide(Trace, {
    create: () => "trace",
    dispose: (value) => void ends.push(`provider ${value}`),
  });
  const scope = container.scope(invocation);
  expect(container.resolveAll({ Db, Session, Trace }, scope)).toEqual({
    Db: "pool undefined",
    Session: "session books.added",
    Trace: "trace",
  });
  await scope.dispose();
  expect(ends).toEqual(["provider trace", "token session books.added"]);
});

test("the latest override applies until it is undone, in any order; a second undo has no effect", () => {
  const { container } = newContainer();
  const Db = dependency<string>("db");
  container.register(Db, "real");
  const outer = container.override(Db, "outer");
  const inner = container.override("db", "inner");
  expect(container.resolve(Db)).toBe("inner");
  outer();
  expect(container.resolve(Db)).toBe("inner");
  inner();
  inner();
  expect(container.resolve(Db)).toBe("real");
  {
    using undo = container.override(Db, "scoped");
    expect([container.resolve("db"), typeof undo]).toEqual(["scoped", "function"]);
  }
  expect(container.resolve(Db)).toBe("real");
});

test("an override replaces an unregistered dependency and a token's own factory", () => {
  const { container } = newContainer();
  const Clock = dependency("clock", { create: (): string => "real" });
  const undo = container.override("db", 1);
  container.override(dependency("clock", { create: (): string => "other" }), "fake");
  expect(container.check([{ place: "GET /", inject: { db: "db", clock: Clock } }])).toEqual([]);
  expect(container.resolveAll({ db: "db", clock: Clock })).toEqual({ db: 1, clock: "fake" });
  undo();
  expect(() => container.resolve("db")).toThrow("no dependency is named");
});

test("singletons that depend on an overridden value are created again and disposed of with the override; the original ones return", async () => {
  const { container } = newContainer();
  const ends: string[] = [];
  container.register("db", "real");
  const Users = dependency("users", {
    inject: { db: "db" },
    create: ({ db }) => `users of ${String(db)}`,
    dispose: (value) => void ends.push(value),
  });
  const Page = dependency("page", { inject: { users: Users }, create: ({ users }) => ({ users }) });
  const Other = dependency("other", { create: () => ({}) });
  const [page, other] = [container.resolve(Page), container.resolve(Other)];
  {
    using _undo = container.override("db", "fake");
    expect(container.resolve(Page)).toEqual({ users: "users of fake" });
    expect(container.resolve(Page)).toBe(container.resolve(Page));
    expect(container.resolve(Other)).toBe(other);
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(ends).toEqual(["users of fake"]);
  expect(container.resolve(Page)).toBe(page);
  await container.dispose();
  expect(ends).toEqual(["users of fake", "users of real"]);
});

test("Depends works with a token whose asynchronous dependency is overridden by a value", async () => {
  const Db = dependency("db", { create: async () => "real" });
  const Users = dependency("users", { inject: { db: Db }, create: ({ db }) => `users of ${db}` });
  const app = new App();
  app.get("/injected", { inject: { users: Users } }, (_request, { users }) => users);
  app.get("/depends", (_request, users = Depends(Users)) => users);
  await startQuietly(app);
  expect((await send(app, "/injected")).text).toBe("users of real");
  expect((await send(app, "/depends")).status).toBe(500);
  {
    using _undo = app.override(Db, "fake");
    expect((await send(app, "/depends")).text).toBe("users of fake");
  }
  expect((await send(app, "/depends")).status).toBe(500);
});
