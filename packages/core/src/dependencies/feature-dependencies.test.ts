import { expect, test } from "@jest/globals";
import { App, dependency, Depends, type Invocation, type Token } from "../index.ts";
import { createInvocation, type Feature, type HostState } from "../feature.ts";
import { Container } from "./container.ts";
import { MAX_OPEN_SCOPES } from "./scope-errors.ts";

/** A custom entry point. It returns its `host.state` to the tests; a real entry point would call it for each message. */
interface Mailbox {
  mailbox(): HostState;
}
const mailbox: Feature<Mailbox> = {
  name: "mailbox",
  install: (host) => ({ mailbox: () => host.state }),
};
const MailApp = App.with(mailbox);

const message = (name = "order.placed"): Invocation => createInvocation({ kind: "message", name });

/** A dependency of one invocation that records its creation and disposal. */
const session = (events: string[]): Token<string> => {
  let created = 0;
  return dependency("session", {
    scope: "invocation",
    create: (_, invocation) => {
      events.push(`created for ${invocation.kind} ${invocation.name}`);
      return `session ${++created}`;
    },
    dispose: (value) => void events.push(`disposed of ${value}`),
  });
};

test("synchronous work returns its output synchronously, with and without injections", () => {
  const { invoke } = new MailApp().registerSingleton("limit", 10).mailbox();
  const Clock = dependency("clock", { create: () => 7 });
  expect(invoke(message(), undefined, (none) => [none, Depends(Clock)])).toEqual([undefined, 7]);
  expect(invoke(message(), { clock: Clock, limit: "limit" }, ({ clock, limit }) => [clock, limit])).toEqual([
    7, 10,
  ]);
  expect(() =>
    invoke(message(), undefined, () => {
      throw new Error("handler");
    }),
  ).toThrow("handler");
});

test("an invocation creates each value once, for inject and Depends alike, and disposes of it before it returns the outcome", async () => {
  const events: string[] = [];
  const Session = session(events);
  const { invoke } = new MailApp().mailbox();
  const outcome = invoke(message(), { a: Session }, async ({ a }) => {
    const b = Depends(Session);
    await Promise.resolve();
    events.push("handled");
    return [a, b];
  });
  expect(await outcome).toEqual(["session 1", "session 1"]);
  expect(events).toEqual(["created for message order.placed", "handled", "disposed of session 1"]);
  expect(await invoke(message("other"), { a: Session }, ({ a }) => a)).toBe("session 2");
  expect(events.slice(3)).toEqual(["created for message other", "disposed of session 2"]);
});

test.each(["throws", "rejects"] as const)(
  "work that %s disposes of its values, and its error passes through",
  async (how) => {
    const events: string[] = [];
    const { invoke } = new MailApp().mailbox();
    const failing = async (): Promise<unknown> =>
      invoke(message(), { session: session(events) }, () => {
        if (how === "throws") throw new Error("down");
        return Promise.reject(new Error("down"));
      });
    await expect(failing()).rejects.toThrow("down");
    expect(events).toEqual(["created for message order.placed", "disposed of session 1"]);
  },
);

test.each(["throws", "rejects"] as const)(
  "if a factory %s, the outcome waits until pending dependencies have been created and disposed of",
  async (how) => {
    const events: string[] = [];
    const opened = Promise.withResolvers<string>();
    const Transaction = dependency("transaction", {
      scope: "invocation",
      create: () => opened.promise,
      dispose: (value) => void events.push(`rolled back ${value}`),
    });
    const User = dependency("user", {
      scope: "invocation",
      create: (): string | Promise<string> => {
        if (how === "throws") throw new Error("unknown user");
        return Promise.reject(new Error("unknown user"));
      },
    });
    const { invoke } = new MailApp().mailbox();
    const outcome = (async () =>
      invoke(message(), { transaction: Transaction, user: User }, () => "handled"))().catch(
      (error: Error) => void events.push(error.message),
    );
    await new Promise((resolve) => setImmediate(resolve));
    opened.resolve("it");
    await outcome;
    expect(events).toEqual(["rolled back it", "unknown user"]);
  },
);

test("a failing dispose is logged, and the outcome is unchanged", async () => {
  const logged: unknown[] = [];
  const error = new Error("stuck");
  const Bad = dependency("bad", {
    scope: "invocation",
    create: () => 1,
    dispose: () => Promise.reject(error),
  });
  const app = new MailApp();
  await app.start({ log: { info() {}, warn() {}, error: (...line) => logged.push(line) } });
  expect(await app.mailbox().invoke(message(), { bad: Bad }, ({ bad }) => bad)).toBe(1);
  expect(logged).toEqual([['dependency "bad" could not be disposed of', { error, dependency: "bad" }]]);
});

test("concurrent invocations have separate values", async () => {
  const { invoke } = new MailApp().mailbox();
  const Name = dependency("name", { scope: "invocation", create: async (_, { name }) => name });
  const names = Array.from({ length: 20 }, (_none, index) => `message ${index}`);
  const seen = names.map(async (name) =>
    invoke(message(name), { name: Name }, async (values) => (await Promise.resolve(), values.name)),
  );
  expect(await Promise.all(seen)).toEqual(names);
});

test("the calls of a scope share its values until the scope is disposed of", async () => {
  const events: string[] = [];
  const Session = session(events);
  const scope = new MailApp().mailbox().scope(message("stream"));
  expect([scope.invocation.name, scope.call({ s: Session }, ({ s }) => s)]).toEqual(["stream", "session 1"]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const second = scope.call(undefined, async () => {
    const mine = Depends(Session);
    await promise;
    return mine;
  });
  const disposed = scope.dispose();
  await new Promise((resume) => setImmediate(resume));
  expect(events).toEqual(["created for message stream"]); // the second call still uses it
  resolve();
  expect(await second).toBe("session 1");
  await disposed;
  expect(events).toEqual(["created for message stream", "disposed of session 1"]);
  expect(() => scope.call({ s: Session }, ({ s }) => s)).toThrow("after its scope had ended");
});

test("start checks a feature's injections and names the place", async () => {
  const app = new MailApp().registerSingleton("clock", 1);
  const a: Token<unknown> = dependency("a", { inject: { b: "b" }, create: () => 1 });
  const b = dependency("b", { inject: { a }, create: () => 2 });
  app.mailbox().inject("message order.placed", { clock: "clok" }).inject("command PlaceOrder", { b });
  const failure = app.start();
  await expect(failure).rejects.toThrow(
    'message order.placed → clok: no dependency is named "clok"; did you mean "clock"',
  );
  await expect(failure).rejects.toThrow("circular dependency: b → a → b");
});

test("injections added after start are rejected", async () => {
  const app = new MailApp();
  await app.start();
  expect(() => app.mailbox().inject("message late", {})).toThrow(
    expect.objectContaining({ code: "CORE_ALREADY_STARTED" }),
  );
  await app.stop();
});

test("stop waits for running invocations, then disposes of singletons", async () => {
  const events: string[] = [];
  const Pool = dependency("pool", { create: () => "pool", dispose: () => void events.push("pool ended") });
  const app = new MailApp();
  await app.start();
  const state = app.mailbox();
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = state.invoke(message(), undefined, async () => {
    await promise;
    const pool = await state.scope(message("inner")).call({ pool: Pool }, (values) => values.pool);
    events.push(`handled with ${pool}`);
  });
  const stopped = app.stop();
  await new Promise((turn) => {
    setImmediate(turn);
  });
  expect(events).toEqual([]);
  resolve();
  await Promise.all([work, stopped]);
  expect(events).toEqual(["handled with pool", "pool ended"]);
});

test("a request has exactly one scope", async () => {
  const app = new MailApp();
  const events: string[] = [];
  const Session = session(events);
  app.get("/", { inject: { s: Session } }, (request, { s }) => [
    s,
    request.scope.call({ again: Session }, ({ again }) => again),
    codeOf(() => app.mailbox().scope(request)),
    codeOf(() => app.mailbox().invoke(request, undefined, () => 1)),
  ]);
  const reply = await app.fetch(new Request("http://host.test/"));
  expect(await reply.json()).toEqual([
    "session 1",
    "session 1",
    "CORE_BAD_INVOCATION",
    "CORE_BAD_INVOCATION",
  ]);
  await app.stop();
  expect(events).toEqual(["created for http GET /", "disposed of session 1"]);
});

const codeOf = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

test("a feature may open 100,000 scopes; disposed ones do not count", () => {
  const container = new Container();
  const invocation = createInvocation({ kind: "message", name: "leak" });
  const first = container.open(invocation);
  expect(MAX_OPEN_SCOPES).toBe(100_000);
  for (let open = 1; open < MAX_OPEN_SCOPES; open++) container.open(invocation);
  expect(codeOf(() => container.open(invocation))).toBe("CORE_TOO_MANY_INVOCATIONS");
  void first.dispose();
  expect(codeOf(() => void container.open(invocation))).toBeUndefined();
});
