import { expect, test } from "@jest/globals";
import { container, invocation, recorded } from "./container.test-kit.ts";
import { dependency, type Token } from "./token.ts";

/** A promise that the test resolves. */
const gate = <T>() => Promise.withResolvers<T>();

test("a registered value is returned synchronously, by name and by every token of that name without a factory", () => {
  const { container: it } = container();
  const Db = dependency<number[]>("db");
  const db = [1];
  expect(it.register("db", db)).toBeNull();
  expect(it.resolve("db")).toBe(db);
  expect(it.resolve(Db)).toBe(db);
  expect(it.resolve(dependency<number[]>("db"))).toBe(db);
  expect(it.names()).toEqual(["db"]);
});

test("undefined and null are valid values, and created once", () => {
  const { container: it } = container();
  let created = 0;
  const absent = dependency("absent", { create: () => (created++, null) });
  it.register("nothing", undefined);
  expect([it.resolve("nothing"), it.resolve(absent), it.resolve(absent), created]).toEqual([
    undefined,
    null,
    null,
    1,
  ]);
});

test("a duplicate name is a problem, and the first registration is kept", () => {
  const { container: it } = container();
  const Db = dependency<number>("db");
  expect(it.register(Db, 1)).toBeNull();
  for (const problem of [it.register("db", 2), it.provide(Db, () => 3)]) {
    expect(problem).toEqual({
      code: "CORE_DEPENDENCY_DUPLICATE",
      message: 'the dependency "db" is registered twice; rename one',
    });
  }
  expect(it.resolve(Db)).toBe(1);
});

test("a registration replaces the token's own factory", () => {
  const { container: it } = container();
  const Clock = dependency("clock", { create: () => "real" });
  it.register(Clock, "fixed");
  expect(it.resolve(Clock)).toBe("fixed");
});

test("two tokens with the same name and their own factories are a problem, at start and at the call", () => {
  const { container: it } = container();
  const first = dependency("clock", { create: () => 1 });
  const second = dependency("clock", { create: () => 2 });
  expect(it.check([{ place: "GET /", inject: { first, second } }])).toMatchObject([
    { code: "CORE_DEPENDENCY_DUPLICATE", message: expect.stringContaining("GET / → clock: two tokens") },
  ]);
  expect(() => it.resolve(second)).toThrow(expect.objectContaining({ code: "CORE_DEPENDENCY_DUPLICATE" }));
  expect(it.resolve(first)).toBe(1);
});

test("a missing name is reported once, with its path, similar names and all names", () => {
  const { container: it } = container();
  it.register("db", 1);
  it.register("clock", 2);
  const Users = dependency("users", { inject: { db: "dbx" }, create: () => 3 });
  const places = [
    { place: "GET /users", inject: { users: Users } },
    { place: "GET /more", inject: { again: "dbx" } },
  ];
  expect(it.check(places)).toEqual([
    {
      code: "CORE_DEPENDENCY_MISSING",
      message:
        'GET /users → users → dbx: no dependency is named "dbx"; did you mean "db"? registered: db, clock, users',
    },
  ]);
});

test("a missing name at the call lists the registered names, at most 50", () => {
  const { container: it } = container();
  expect(() => it.resolve("db")).toThrow('no dependency is named "db"; registered: none');
  for (let index = 0; index < 60; index++) it.register(`value-${index}`, index);
  expect(() => it.resolve("db")).toThrow(/registered: value-0, .*value-49 and 10 more$/);
});

test("a cycle is reported once with its path, at start and at the call, without infinite recursion", () => {
  const { container: it } = container();
  const a: Token<unknown> = dependency("a", { inject: { b: "b" }, create: () => 1 });
  const b = dependency("b", { inject: { a }, create: () => 2 });
  const problems = it.check([
    { place: "GET /b", inject: { b } },
    { place: "GET /a", inject: { a } },
  ]);
  expect(problems).toEqual([
    {
      code: "CORE_DEPENDENCY_CYCLE",
      message: "circular dependency: b → a → b; remove one of these injections",
    },
  ]);
  expect(() => it.resolve(a)).toThrow("circular dependency: a → b → a");
});

test("a string name finds the factory of a token that another place injects later", () => {
  const { container: it } = container();
  const Clock = dependency("clock", { create: () => "now" });
  const Page = dependency("page", { inject: { clock: Clock }, create: () => 1 });
  const places = [
    { place: "GET /a", inject: { clock: "clock" } },
    { place: "GET /b", inject: { page: Page } },
  ];
  expect(it.check(places)).toEqual([]);
  expect(it.resolve("clock")).toBe("now");
});

test("a singleton that depends on an invocation is a problem, also through a transient value", () => {
  const { container: it } = container();
  const User = dependency("user", { scope: "invocation", create: () => "me" });
  const Greeting = dependency("greeting", { scope: "transient", inject: { user: User }, create: () => "hi" });
  const Direct = dependency("direct", { inject: { user: User }, create: () => 1 });
  const Hidden = dependency("hidden", { inject: { greeting: Greeting }, create: () => 1 });
  const inject = { user: User, greeting: Greeting, direct: Direct, hidden: Hidden };
  const problems = it.check([{ place: "GET /", inject }]);
  expect(problems.map(({ code }) => code)).toEqual(["CORE_DEPENDENCY_SCOPE", "CORE_DEPENDENCY_SCOPE"]);
  expect(problems[0]?.message).toMatch(/^direct → user: the singleton "direct" would outlive "user"/);
  expect(problems[1]?.message).toMatch(
    /^hidden → greeting → user: the singleton "hidden" would outlive "user"/,
  );
  expect(() => it.resolve(Hidden, it.scope(invocation))).toThrow("would outlive");
});

test("a valid graph of any shape has no problems", () => {
  const { container: it } = container();
  it.register("db", 1);
  const Users = dependency("users", { inject: { db: "db" }, create: () => 1 });
  const Books = dependency("books", {
    scope: "invocation",
    inject: { db: "db", users: Users },
    create: () => 1,
  });
  const Page = dependency("page", { scope: "transient", inject: { Books, Users }, create: () => 1 });
  expect(it.check([{ place: "GET /", inject: { Page, Books, Users, db: "db" } }])).toEqual([]);
});

test("factories receive their injections, and the invocation if there is one", () => {
  const { container: it } = container();
  it.register("db", "db");
  const Users = dependency("users", { inject: { db: "db" }, create: ({ db }, none) => [db, none] });
  const Books = dependency("books", {
    scope: "invocation",
    inject: { users: Users },
    create: ({ users }, { name }) => [users, name],
  });
  const Page = dependency("page", { scope: "transient", create: (_, maybe) => maybe?.name });
  expect(it.resolve(Books, it.scope(invocation))).toEqual([["db", undefined], "books.added"]);
  expect([it.resolve(Page), it.resolve(Page, it.scope(invocation))]).toEqual([undefined, "books.added"]);
});

test("a singleton is created once, an invocation's value once per invocation, a transient value each time", () => {
  const { container: it } = container();
  const [One, Each, New] = (["singleton", "invocation", "transient"] as const).map((scope) =>
    recorded([], scope, scope),
  );
  const inject = { one: One ?? "", each: Each ?? "", new: New ?? "" };
  const [first, second] = [it.scope(invocation), it.scope(invocation)];
  expect(it.resolveAll(inject, first)).toEqual({
    one: "singleton 1",
    each: "invocation 1",
    new: "transient 1",
  });
  expect(it.resolveAll(inject, first)).toEqual({
    one: "singleton 1",
    each: "invocation 1",
    new: "transient 2",
  });
  expect(it.resolveAll(inject, second)).toEqual({
    one: "singleton 1",
    each: "invocation 2",
    new: "transient 3",
  });
});

test("a value of scope invocation is unavailable outside an invocation", () => {
  const { container: it } = container();
  const User = dependency("user", { scope: "invocation", create: () => "me" });
  expect(() => it.resolve(User)).toThrow(expect.objectContaining({ code: "CORE_DEPENDENCY_SCOPE" }));
});

test("concurrent callers share one promise, and later callers get the value synchronously", async () => {
  const { container: it } = container();
  const { promise, resolve } = gate<string>();
  let created = 0;
  const Db = dependency("db", { create: () => (created++, promise) });
  const scope = it.scope(invocation);
  const results = [it.resolve(Db, scope), it.resolve(Db), it.resolveAll({ db: Db }, scope)];
  resolve("ready");
  expect([await results[0], await results[1], await results[2]]).toEqual(["ready", "ready", { db: "ready" }]);
  expect([created, it.resolve(Db)]).toEqual([1, "ready"]);
});

test("injections await the asynchronous ones and keep the order of their names", async () => {
  const { container: it } = container();
  const Later = dependency("later", { create: async () => 1 });
  const values = it.resolveAll({ later: Later, now: dependency("now", { create: () => 2 }) });
  expect(values).toBeInstanceOf(Promise);
  expect(JSON.stringify(await values)).toBe('{"later":1,"now":2}');
});

test("when several factories fail, the first failure is thrown and no rejection is unhandled", async () => {
  const { container: it } = container();
  const failing = (name: string) =>
    dependency(name, { create: () => Promise.reject<string>(new Error(name)) });
  const Sync = dependency("sync", {
    create: () => {
      throw new Error("sync");
    },
  });
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    expect(() => it.resolveAll({ a: failing("a"), b: Sync })).toThrow("sync");
    await expect(it.resolveAll({ c: failing("c"), d: failing("d") })).rejects.toThrow("c");
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  } finally {
    process.off("unhandledRejection", note);
  }
  expect(unhandled).toEqual([]);
});

test.each(["sync", "async"] as const)(
  "a factory that fails %s is called again for the next caller",
  async (kind) => {
    const { container: it } = container();
    let created = 0;
    const Db = dependency("db", {
      create: (): string | Promise<string> => {
        if (++created > 1) return "second try";
        if (kind === "sync") throw new Error("down");
        return Promise.reject(new Error("down"));
      },
    });
    await expect((async () => it.resolve(Db))()).rejects.toThrow("down");
    expect(await it.resolve(Db)).toBe("second try");
  },
);
