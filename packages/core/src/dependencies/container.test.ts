import { expect, test } from "@jest/globals";
import { invocation, newContainer, recordingDependency } from "./container.test-kit.ts";
import { dependency, type Token } from "./token.ts";

/** A promise that the test resolves. */
const gate = <T>() => Promise.withResolvers<T>();

test("a registered value is returned synchronously, by name and by every token of that name without a factory", () => {
  const { container } = newContainer();
  const Db = dependency<number[]>("db");
  const db = [1];
  expect(container.register("db", db)).toBeNull();
  expect(container.resolve("db")).toBe(db);
  expect(container.resolve(Db)).toBe(db);
  expect(container.resolve(dependency<number[]>("db"))).toBe(db);
  expect(container.names()).toEqual(["db"]);
});

test("undefined and null are valid values, and created once", () => {
  const { container } = newContainer();
  let created = 0;
  const absent = dependency("absent", { create: () => (created++, null) });
  container.register("nothing", undefined);
  expect([
    container.resolve("nothing"),
    container.resolve(absent),
    container.resolve(absent),
    created,
  ]).toEqual([undefined, null, null, 1]);
});

test("a duplicate name is a problem, and the first registration is kept", () => {
  const { container } = newContainer();
  const Db = dependency<number>("db");
  expect(container.register(Db, 1)).toBeNull();
  for (const problem of [container.register("db", 2), container.provide(Db, () => 3)]) {
    expect(problem).toEqual({
      code: "CORE_DEPENDENCY_DUPLICATE",
      message: 'the dependency "db" is registered twice; rename one',
    });
  }
  expect(container.resolve(Db)).toBe(1);
});

test("a registration replaces the token's own factory", () => {
  const { container } = newContainer();
  const Clock = dependency("clock", { create: () => "real" });
  container.register(Clock, "fixed");
  expect(container.resolve(Clock)).toBe("fixed");
});

test("two tokens with the same name and their own factories are a problem, at start and at the call", () => {
  const { container } = newContainer();
  const first = dependency("clock", { create: () => 1 });
  const second = dependency("clock", { create: () => 2 });
  expect(container.check([{ place: "GET /", inject: { first, second } }])).toMatchObject([
    { code: "CORE_DEPENDENCY_DUPLICATE", message: expect.stringContaining("GET / → clock: two tokens") },
  ]);
  expect(() => container.resolve(second)).toThrow(
    expect.objectContaining({ code: "CORE_DEPENDENCY_DUPLICATE" }),
  );
  expect(container.resolve(first)).toBe(1);
});

test("a missing name is reported once, with its path, similar names and all names", () => {
  const { container } = newContainer();
  container.register("db", 1);
  container.register("clock", 2);
  const Users = dependency("users", { inject: { db: "dbx" }, create: () => 3 });
  const places = [
    { place: "GET /users", inject: { users: Users } },
    { place: "GET /more", inject: { again: "dbx" } },
  ];
  expect(container.check(places)).toEqual([
    {
      code: "CORE_DEPENDENCY_MISSING",
      message:
        'GET /users → users → dbx: no dependency is named "dbx"; did you mean "db"? registered: db, clock, users',
    },
  ]);
});

test("the error for a missing name lists the registered names, at most 50", () => {
  const { container } = newContainer();
  expect(() => container.resolve("db")).toThrow('no dependency is named "db"; registered: none');
  for (let index = 0; index < 60; index++) container.register(`value-${index}`, index);
  expect(() => container.resolve("db")).toThrow(/registered: value-0, .*value-49 and 10 more$/);
});

test("a cycle is reported once with its path, at start and at the call, without infinite recursion", () => {
  const { container } = newContainer();
  const a: Token<unknown> = dependency("a", { inject: { b: "b" }, create: () => 1 });
  const b = dependency("b", { inject: { a }, create: () => 2 });
  const problems = container.check([
    { place: "GET /b", inject: { b } },
    { place: "GET /a", inject: { a } },
  ]);
  expect(problems).toEqual([
    {
      code: "CORE_DEPENDENCY_CYCLE",
      message: "circular dependency: b → a → b; remove one of these injections",
    },
  ]);
  expect(() => container.resolve(a)).toThrow("circular dependency: a → b → a");
});

test("a string name finds the factory of a token that another place injects later", () => {
  const { container } = newContainer();
  const Clock = dependency("clock", { create: () => "now" });
  const Page = dependency("page", { inject: { clock: Clock }, create: () => 1 });
  const places = [
    { place: "GET /a", inject: { clock: "clock" } },
    { place: "GET /b", inject: { page: Page } },
  ];
  expect(container.check(places)).toEqual([]);
  expect(container.resolve("clock")).toBe("now");
});

test("a singleton that depends on a value of an invocation is a problem, even through a transient value", () => {
  const { container } = newContainer();
  const User = dependency("user", { scope: "invocation", create: () => "me" });
  const Greeting = dependency("greeting", { scope: "transient", inject: { user: User }, create: () => "hi" });
  const Direct = dependency("direct", { inject: { user: User }, create: () => 1 });
  const Hidden = dependency("hidden", { inject: { greeting: Greeting }, create: () => 1 });
  const inject = { user: User, greeting: Greeting, direct: Direct, hidden: Hidden };
  const problems = container.check([{ place: "GET /", inject }]);
  expect(problems.map(({ code }) => code)).toEqual(["CORE_DEPENDENCY_SCOPE", "CORE_DEPENDENCY_SCOPE"]);
  expect(problems[0]?.message).toMatch(/^direct → user: the singleton "direct" would outlive "user"/);
  expect(problems[1]?.message).toMatch(
    /^hidden → greeting → user: the singleton "hidden" would outlive "user"/,
  );
  expect(() => container.resolve(Hidden, container.scope(invocation))).toThrow("would outlive");
});

test("a valid graph has no problems", () => {
  const { container } = newContainer();
  container.register("db", 1);
  const Users = dependency("users", { inject: { db: "db" }, create: () => 1 });
  const Books = dependency("books", {
    scope: "invocation",
    inject: { db: "db", users: Users },
    create: () => 1,
  });
  const Page = dependency("page", { scope: "transient", inject: { Books, Users }, create: () => 1 });
  expect(container.check([{ place: "GET /", inject: { Page, Books, Users, db: "db" } }])).toEqual([]);
});

test("factories receive their injections, and the invocation if there is one", () => {
  const { container } = newContainer();
  container.register("db", "db");
  const Users = dependency("users", { inject: { db: "db" }, create: ({ db }, none) => [db, none] });
  const Books = dependency("books", {
    scope: "invocation",
    inject: { users: Users },
    create: ({ users }, { name }) => [users, name],
  });
  const Page = dependency("page", { scope: "transient", create: (_, maybe) => maybe?.name });
  expect(container.resolve(Books, container.scope(invocation))).toEqual([["db", undefined], "books.added"]);
  expect([container.resolve(Page), container.resolve(Page, container.scope(invocation))]).toEqual([
    undefined,
    "books.added",
  ]);
});

test("a singleton is created once, an invocation's value once per invocation, a transient value each time", () => {
  const { container } = newContainer();
  const [Singleton, PerInvocation, Transient] = (["singleton", "invocation", "transient"] as const).map(
    (scope) => recordingDependency([], scope, scope),
  );
  const inject = { singleton: Singleton ?? "", invocation: PerInvocation ?? "", transient: Transient ?? "" };
  const [first, second] = [container.scope(invocation), container.scope(invocation)];
  expect(container.resolveAll(inject, first)).toEqual({
    singleton: "singleton 1",
    invocation: "invocation 1",
    transient: "transient 1",
  });
  expect(container.resolveAll(inject, first)).toEqual({
    singleton: "singleton 1",
    invocation: "invocation 1",
    transient: "transient 2",
  });
  expect(container.resolveAll(inject, second)).toEqual({
    singleton: "singleton 1",
    invocation: "invocation 2",
    transient: "transient 3",
  });
});

test("a value of scope invocation is unavailable outside an invocation", () => {
  const { container } = newContainer();
  const User = dependency("user", { scope: "invocation", create: () => "me" });
  expect(() => container.resolve(User)).toThrow(expect.objectContaining({ code: "CORE_DEPENDENCY_SCOPE" }));
});

test("concurrent callers share one promise, and later callers get the value synchronously", async () => {
  const { container } = newContainer();
  const { promise, resolve } = gate<string>();
  let created = 0;
  const Db = dependency("db", { create: () => (created++, promise) });
  const scope = container.scope(invocation);
  const results = [
    container.resolve(Db, scope),
    container.resolve(Db),
    container.resolveAll({ db: Db }, scope),
  ];
  resolve("ready");
  expect([await results[0], await results[1], await results[2]]).toEqual(["ready", "ready", { db: "ready" }]);
  expect([created, container.resolve(Db)]).toEqual([1, "ready"]);
});

test("resolveAll awaits asynchronous values and keeps the order of the names", async () => {
  const { container } = newContainer();
  const Later = dependency("later", { create: async () => 1 });
  const values = container.resolveAll({ later: Later, now: dependency("now", { create: () => 2 }) });
  expect(values).toBeInstanceOf(Promise);
  expect(JSON.stringify(await values)).toBe('{"later":1,"now":2}');
});

test("when several factories fail, the first failure is thrown and no rejection is unhandled", async () => {
  const { container } = newContainer();
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
    expect(() => container.resolveAll({ a: failing("a"), b: Sync })).toThrow("sync");
    await expect(container.resolveAll({ c: failing("c"), d: failing("d") })).rejects.toThrow("c");
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
    const { container } = newContainer();
    let created = 0;
    const Db = dependency("db", {
      create: (): string | Promise<string> => {
        if (++created > 1) return "second try";
        if (kind === "sync") throw new Error("down");
        return Promise.reject(new Error("down"));
      },
    });
    await expect((async () => container.resolve(Db))()).rejects.toThrow("down");
    expect(await container.resolve(Db)).toBe("second try");
  },
);

test.each(["request", "Invocation", null])(
  "a token rejects the unknown scope %p, which would become a singleton",
  (scope) => {
    expect(() => dependency("session", { scope: scope as never, create: () => ({}) })).toThrow(
      expect.objectContaining({
        code: "CORE_BAD_ARGUMENT",
        message: expect.stringContaining("scope must be one of singleton, invocation, transient"),
      }),
    );
  },
);

test.each([
  [{ create: class {} }, "create must be a function, not a class, which needs new"],
  [{ create: 5 }, "create must be a function, not 5"],
  [{ create: () => 1, dispose: "end" }, 'dispose must be a function, not "end"'],
])("a token rejects a factory or a disposal that cannot be called: %p", (options, message) => {
  expect(() => dependency("books", options as never)).toThrow(
    expect.objectContaining({ code: "CORE_BAD_ARGUMENT", message: expect.stringContaining(message) }),
  );
});

test("a token rejects an unknown option: a misspelt scope would make it a singleton", () => {
  expect(() => dependency("session", { scop: "invocation", create: () => ({}) } as object)).toThrow(
    expect.objectContaining({
      code: "CORE_BAD_ARGUMENT",
      message: 'the options object of dependency("session") has no field "scop"; did you mean "scope"?',
    }),
  );
});
