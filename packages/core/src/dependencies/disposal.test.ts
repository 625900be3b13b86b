import { expect, test } from "@jest/globals";
import { send, startQuietly } from "../app-requests.test-kit.ts";
import { App } from "../index.ts";
import { invocation, newContainer, recordingDependency } from "./container.test-kit.ts";
import { dependency } from "./token.ts";

/** A promise that the test resolves. */
const gate = <T>() => Promise.withResolvers<T>();

test("values of an invocation are disposed of in reverse order, dependents before their dependencies", async () => {
  const { container } = newContainer();
  const ends: string[] = [];
  const Session = recordingDependency(ends, "session", "invocation");
  const Books = dependency("books", {
    scope: "invocation",
    inject: { session: Session },
    create: async () => "books",
    dispose: async (value) => void ends.push(value),
  });
  const Line = recordingDependency(ends, "line", "transient");
  const scope = container.scope(invocation);
  await container.resolveAll({ books: Books, line: Line, again: Line }, scope);
  await scope.dispose();
  await scope.dispose();
  expect(ends).toEqual(["books", "line 2", "line 1", "session 1"]);
});

test("a failing dispose is logged, and the others run", async () => {
  const { container, logged } = newContainer();
  const ends: string[] = [];
  const error = new Error("stuck");
  const Bad = dependency("bad", {
    scope: "invocation",
    create: () => 1,
    dispose: () => Promise.reject(error),
  });
  const scope = container.scope(invocation);
  await container.resolveAll(
    {
      a: recordingDependency(ends, "a", "invocation"),
      bad: Bad,
      b: recordingDependency(ends, "b", "invocation"),
    },
    scope,
  );
  await scope.dispose();
  expect(ends).toEqual(["b 1", "a 1"]);
  expect(logged).toEqual([['dependency "bad" could not be disposed of', { error, dependency: "bad" }]]);
});

test("dispose waits for all work that uses the scope, even after some of it has failed", async () => {
  const { container } = newContainer();
  const ends: string[] = [];
  const scope = container.scope(invocation);
  void container.resolve(recordingDependency(ends, "db", "invocation"), scope);
  const [handler, stream] = [gate<void>(), gate<void>()];
  scope.during(handler.promise);
  scope.during(stream.promise);
  const disposed = scope.dispose();
  handler.reject(new Error("handler"));
  await new Promise((resume) => setImmediate(resume));
  expect(ends).toEqual([]);
  stream.resolve();
  await disposed;
  expect(ends).toEqual(["db 1"]);
});

test("a value that arrives after its invocation has ended is disposed of at once and not returned", async () => {
  const { container } = newContainer();
  const ends: string[] = [];
  const { promise, resolve } = gate<string>();
  const Late = dependency("late", {
    scope: "invocation",
    create: () => promise,
    dispose: (value) => void ends.push(value),
  });
  const scope = container.scope(invocation);
  const resolved = container.resolveAll({ late: Late }, scope);
  await scope.dispose();
  resolve("late");
  await expect(resolved).rejects.toMatchObject({ code: "CORE_DEPENDENCY_TOO_LATE" });
  expect(ends).toEqual(["late"]);
  expect(() => container.resolve(recordingDependency(ends, "more", "invocation"), scope)).toThrow(
    "after its scope had ended",
  );
});

test("stop disposes of singletons after a value that arrives after its invocation has ended", async () => {
  const opened = gate<void>();
  const ends: string[] = [];
  const Pool = recordingDependency(ends, "pool", "singleton");
  const Transaction = dependency("transaction", {
    scope: "invocation",
    inject: { pool: Pool },
    create: () => opened.promise,
    dispose: () => void ends.push("rolled back"),
  });
  const app = new App();
  app.get("/x", { inject: { transaction: Transaction } }, () => "done");
  await startQuietly(app);
  const client = new AbortController();
  const reply = send(app, "/x", { signal: client.signal });
  await new Promise((resolve) => setImmediate(resolve)); // the transaction is being opened
  client.abort();
  const stopped = app.stop();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ends).toEqual([]);
  opened.resolve();
  await stopped;
  await reply;
  expect(ends).toEqual(["rolled back", "pool 1"]);
});

test("stop disposes of singletons in reverse order, after open invocations, but not of registered values", async () => {
  const { container } = newContainer();
  const ends: string[] = [];
  const Pool = recordingDependency(ends, "pool", "singleton");
  const Cache = recordingDependency(ends, "cache", "singleton");
  container.register(dependency("mine", { dispose: (value: string) => void ends.push(value) }), "mine");
  const scope = container.scope(invocation);
  await container.resolveAll(
    { Pool, Cache, mine: "mine", session: recordingDependency(ends, "session", "invocation") },
    scope,
  );
  const work = gate<void>();
  scope.during(work.promise);
  void scope.dispose();
  const stopped = container.dispose();
  work.resolve();
  await stopped;
  expect(ends).toEqual(["session 1", "cache 1", "pool 1"]);
});

test("a disposal ends at its limits when work or a dispose never ends", async () => {
  const { container, logged } = newContainer();
  const ends: string[] = [];
  const Stuck = dependency("stuck", { create: () => 1, dispose: () => new Promise<void>(() => {}) });
  const scope = container.open(invocation);
  await container.resolveAll(
    {
      session: recordingDependency(ends, "session", "invocation"),
      pool: recordingDependency(ends, "pool", "singleton"),
    },
    scope,
  );
  scope.during(new Promise(() => {}));
  expect(await container.dispose({ limitMs: 1 })).toBe(false);
  expect(ends).toEqual(["pool 1"]);
  const { container: other, logged: otherLogged } = newContainer();
  await other.resolve(Stuck);
  expect(await other.dispose({ limitMs: 1, singletonsMs: 1 })).toBe(false);
  expect([logged, otherLogged]).toEqual([
    [["calls that use dependencies had not ended when the app disposed of them", undefined]],
    [["dependencies were not disposed of within 0.001 s", undefined]],
  ]);
});

test("a disposal has a shorter limit for work whose signal has aborted", async () => {
  const { container, logged } = newContainer();
  const scope = container.open({ ...invocation, signal: AbortSignal.abort() });
  scope.during(new Promise(() => {}));
  expect(await container.dispose({ limitMs: 1_000_000, cutMs: 1 })).toBe(false);
  expect(logged).toEqual([
    ["calls that use dependencies had not ended when the app disposed of them", undefined],
  ]);
});
