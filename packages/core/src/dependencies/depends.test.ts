import { expect, test } from "@jest/globals";
import { createInvocation } from "../invocation/invocation.ts";
import { Container } from "./container.ts";
import { Depends, runWith } from "./depends.ts";
import { dependency } from "./token.ts";

const Db = dependency<string>("db");

const setUp = () => {
  const container = new Container();
  container.register(Db, "database");
  const scope = container.scope(createInvocation({ kind: "message", name: "/" }));
  return { container, holder: { scope } };
};

test("a default argument receives the dependency by token or name, and the call stays synchronous", () => {
  const { holder } = setUp();
  const handler = (_: unknown, db = Depends(Db), same = Depends<string>("db")) => [db, same];
  expect(runWith(holder, handler as (_: unknown, none: undefined) => string[], undefined)).toEqual([
    "database",
    "database",
  ]);
});

test("an asynchronous handler may use Depends until its first await", async () => {
  const { holder } = setUp();
  const outcome = runWith(
    holder,
    async () => {
      const before = Depends(Db);
      await Promise.resolve();
      return [before, valueOrCode(() => Depends(Db))];
    },
    undefined,
  );
  expect(await outcome).toEqual(["database", "CORE_DEPENDS_OUTSIDE"]);
});

const valueOrCode = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

test("outside a call, the error explains where Depends is allowed", () => {
  expect(() => Depends(Db)).toThrow(
    'Depends("db") was called outside a handler call: use it in a default argument or before the handler\'s first await',
  );
});

test("the scope is restored after nested calls and after a throw", () => {
  const [outer, inner] = [setUp(), setUp()];
  inner.container.override(Db, "inner");
  const seen: unknown[] = [];
  const recordValue = () => seen.push(valueOrCode(() => Depends(Db)));
  runWith(
    outer.holder,
    () => {
      recordValue();
      runWith(inner.holder, recordValue, undefined);
      recordValue();
      expect(() =>
        runWith(
          inner.holder,
          () => {
            throw new Error("handler");
          },
          undefined,
        ),
      ).toThrow("handler");
      recordValue();
    },
    undefined,
  );
  recordValue();
  expect(seen).toEqual(["database", "inner", "database", "database", "CORE_DEPENDS_OUTSIDE"]);
});

test("concurrent handlers each keep their own scope", async () => {
  const User = dependency("user", { scope: "invocation", create: (_, invocation) => invocation.name });
  const container = new Container();
  const names = Array.from({ length: 20 }, (_, index) => `message ${index}`);
  const seen = names.map((name) =>
    runWith(
      { scope: container.scope(createInvocation({ kind: "message", name })) },
      async () => {
        const user = Depends(User);
        await Promise.resolve();
        return user;
      },
      undefined,
    ),
  );
  expect(await Promise.all(seen)).toEqual(names);
});

test("a missing name lists the registered names", () => {
  const { holder } = setUp();
  const call = () => runWith(holder, () => Depends("dbs"), undefined);
  expect(call).toThrow('no dependency is named "dbs"; did you mean "db"? registered: db');
  expect(call).toThrow(expect.objectContaining({ code: "CORE_DEPENDENCY_MISSING" }));
});

test("Depends rejects an asynchronous factory on every call, even when its value is ready", async () => {
  const { container, holder } = setUp();
  const Later = dependency("later", { create: async () => "value" });
  const FromLater = dependency("from-later", { inject: { later: Later }, create: ({ later }) => later });
  const call = () => valueOrCode(() => runWith(holder, () => Depends(FromLater), undefined));
  expect(call()).toBe("CORE_DEPENDS_ASYNC");
  expect(await container.resolve(FromLater)).toBe("value");
  expect(call()).toBe("CORE_DEPENDS_ASYNC");
  expect(() => runWith(holder, () => Depends(Later), undefined)).toThrow("name the dependency in inject");
});

test("a failing asynchronous factory leaves no unhandled rejection", async () => {
  const { holder } = setUp();
  const Broken = dependency("broken", { create: () => Promise.reject(new Error("down")) });
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    expect(valueOrCode(() => runWith(holder, () => Depends(Broken), undefined))).toBe("CORE_DEPENDS_ASYNC");
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  } finally {
    process.off("unhandledRejection", note);
  }
  expect(unhandled).toEqual([]);
});

test("a factory cannot call Depends: it lists its dependencies in inject", () => {
  const { holder } = setUp();
  const Sneaky = dependency("sneaky", { create: () => valueOrCode(() => Depends(Db)) });
  expect(runWith(holder, () => [Depends(Sneaky), Depends(Db)], undefined)).toEqual([
    "CORE_DEPENDS_OUTSIDE",
    "database",
  ]);
});

test("a call without dependencies never accesses the scope", () => {
  let reads = 0;
  const { holder } = setUp();
  const lazy = {
    get scope() {
      reads++;
      return holder.scope;
    },
  };
  expect(runWith(lazy, () => 1, undefined)).toBe(1);
  expect(reads).toBe(0);
});

test.each(["Depends", "inject"] as const)(
  "values injected by %s live until the handler has settled, even after the client disconnects",
  async (form) => {
    const ends: string[] = [];
    const Session = dependency("session", {
      scope: "invocation",
      create: () => "session",
      dispose: (value) => void ends.push(value),
    });
    const { container, holder } = setUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    const inject = form === "inject" ? container.resolveAll({ session: Session }, holder.scope) : undefined;
    const output = runWith(
      holder,
      async () => {
        if (form === "Depends") Depends(Session);
        await promise;
        return [...ends];
      },
      inject,
    );
    const disposed = holder.scope.dispose();
    await new Promise((resume) => setImmediate(resume));
    expect(ends).toEqual([]);
    resolve();
    expect(await output).toEqual([]);
    await disposed;
    expect(ends).toEqual(["session"]);
  },
);

test.each([undefined, null, 5])("Depends(%p) states what it takes, inside and outside a handler", (value) => {
  const wrong = (): unknown => Depends(value as never);
  const error = expect.objectContaining({
    code: "CORE_BAD_ARGUMENT",
    message: `Depends: a dependency must be a token, such as dependency("db"), or its name, not ${value}`,
  });
  expect(wrong).toThrow(error);
  const { holder } = setUp();
  expect(() => runWith(holder, wrong, undefined)).toThrow(error);
});
