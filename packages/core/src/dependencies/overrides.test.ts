import { expect, test } from "@jest/globals";
import { container, invocation } from "./container.test-kit.ts";
import { dependency } from "./token.ts";

test("a provider replaces a token's factory, keeps the token's scope and has its own dispose", async () => {
  const { container: it } = container();
  const ends: string[] = [];
  const Db = dependency<string>("db");
  const Session = dependency<string>("session", {
    scope: "invocation",
    dispose: (value) => void ends.push(`token ${value}`),
  });
  const Trace = dependency<string>("trace", { scope: "invocation", dispose: () => void ends.push("unused") });
  it.provide(Db, (none) => `pool ${typeof none}`);
  it.provide(Session, (current) => `session ${current?.name}`);
  it.provide(Trace, { create: () => "trace", dispose: (value) => void ends.push(`provider ${value}`) });
  const scope = it.scope(invocation);
  expect(it.resolveAll({ Db, Session, Trace }, scope)).toEqual({
    Db: "pool undefined",
    Session: "session books.added",
    Trace: "trace",
  });
  await scope.dispose();
  expect(ends).toEqual(["provider trace", "token session books.added"]);
});

test("the latest override applies until it is undone, in any order; a second undo has no effect", () => {
  const { container: it } = container();
  const Db = dependency<string>("db");
  it.register(Db, "real");
  const outer = it.override(Db, "outer");
  const inner = it.override("db", "inner");
  expect(it.resolve(Db)).toBe("inner");
  outer();
  expect(it.resolve(Db)).toBe("inner");
  inner();
  inner();
  expect(it.resolve(Db)).toBe("real");
  {
    using undo = it.override(Db, "scoped");
    expect([it.resolve("db"), typeof undo]).toEqual(["scoped", "function"]);
  }
  expect(it.resolve(Db)).toBe("real");
});

test("an override replaces an unregistered dependency and a token's own factory", () => {
  const { container: it } = container();
  const Clock = dependency("clock", { create: (): string => "real" });
  const undo = it.override("db", 1);
  it.override(dependency("clock", { create: (): string => "other" }), "fake");
  expect(it.check([{ place: "GET /", inject: { db: "db", clock: Clock } }])).toEqual([]);
  expect(it.resolveAll({ db: "db", clock: Clock })).toEqual({ db: 1, clock: "fake" });
  undo();
  expect(() => it.resolve("db")).toThrow("no dependency is named");
});

test("singletons that depend on an overridden value are created again, disposed of with the override, and the original ones return", async () => {
  const { container: it } = container();
  const ends: string[] = [];
  it.register("db", "real");
  const Users = dependency("users", {
    inject: { db: "db" },
    create: ({ db }) => `users of ${String(db)}`,
    dispose: (value) => void ends.push(value),
  });
  const Page = dependency("page", { inject: { users: Users }, create: ({ users }) => ({ users }) });
  const Other = dependency("other", { create: () => ({}) });
  const [page, other] = [it.resolve(Page), it.resolve(Other)];
  {
    using _undo = it.override("db", "fake");
    expect(it.resolve(Page)).toEqual({ users: "users of fake" });
    expect(it.resolve(Page)).toBe(it.resolve(Page));
    expect(it.resolve(Other)).toBe(other);
  }
  expect(it.resolve(Page)).toBe(page);
  await it.dispose();
  expect(ends).toEqual(["users of fake", "users of real"]);
});
