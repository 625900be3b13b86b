import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import { afterEach, expect, test } from "@jest/globals";
import { AppOperations, currentOperation, operationsWithoutApp } from "./app-operations.ts";
import { noChannels } from "./operation-channels.ts";
import type { OperationListener } from "./operation-listener.ts";
import { createOperations, type Operations } from "./operations.ts";
import type { OperationDefinition, TracedOperation } from "./traced-operation.ts";

const nextImmediate = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const undo: (() => void)[] = [];
afterEach(() => undo.splice(0).forEach((task) => task()));

const statement: OperationDefinition<string, number> = {
  kind: "db",
  role: "client",
  describe: (text) => ({ name: text.split(" ", 1)[0] ?? "", attributes: { "db.query.text": text } }),
  outcome: (rows) => ({ "db.response.returned_rows": rows }),
};

const make = () => {
  const failures: unknown[] = [];
  const operations = new AppOperations({}, (error) => failures.push(error));
  const seen: string[] = [];
  const listener: OperationListener<string> = {
    start: ({ name }) => (seen.push(`start ${name}`), name.toLowerCase()),
    error: ({ error }, state) => void seen.push(`error ${error?.message} ${state}`),
    end: ({ durationMs }, state) => void seen.push(`end ${state} ${typeof durationMs}`),
  };
  return { operations, statements: operations.of(statement), seen, listener, failures };
};

test("without a listener the input is not described and the work is called directly", () => {
  const unobserved = operationsWithoutApp<string, number>({
    kind: "db",
    role: "client",
    describe: () => {
      throw new Error("described");
    },
  });
  expect(unobserved.isObserved).toBe(false);
  expect(unobserved.run("SELECT", () => 7)).toBe(7);
  expect(unobserved.begin("SELECT")).toBeNull();
});

test("synchronous work stays synchronous, a promise stays a promise, and both publish start and end", async () => {
  const { operations, statements, seen, listener } = make();
  const stop = operations.listen(listener);
  expect(statements.isObserved).toBe(true);
  expect(statements.run("SELECT 1", () => 1)).toBe(1);
  await expect(statements.run("INSERT 1", async () => 2)).resolves.toBe(2);
  expect(seen).toEqual(["start SELECT", "end select number", "start INSERT", "end insert number"]);
  stop();
  expect(statements.isObserved).toBe(false);
});

test("a thrown or rejected error passes through and is published before the end", async () => {
  const { operations, statements, seen, listener } = make();
  const ended: TracedOperation[] = [];
  operations.listen({ ...listener, end: (operation) => void ended.push(operation) });
  const boom = Object.assign(new TypeError("boom"), { code: "DB_DOWN" });
  const fail = () => {
    throw boom;
  };
  expect(() => statements.run("SELECT", fail)).toThrow(boom);
  await expect(statements.run("SELECT", async () => fail())).rejects.toBe(boom);
  expect(
    () =>
      void statements.run("SELECT", () => {
        throw "text";
      }),
  ).toThrow("text"); // oxlint-disable-line no-throw-literal
  expect(seen.filter((line) => line.startsWith("error"))).toEqual([
    "error boom select",
    "error boom select",
    "error text was thrown select",
  ]);
  expect(ended.map(({ error, attributes }) => [error?.name, attributes["error.type"]])).toEqual([
    ["TypeError", "DB_DOWN"],
    ["TypeError", "DB_DOWN"],
    ["Error", "Error"],
  ]);
});

test("attributes of the outcome are added to the attributes of the start", () => {
  const { operations, statements } = make();
  let ended: TracedOperation | null = null;
  operations.listen({ start: () => {}, end: (operation) => void (ended = operation) });
  void statements.run("SELECT 1", () => 3);
  expect(ended).toMatchObject({
    kind: "db",
    role: "client",
    attributes: { "db.query.text": "SELECT 1", "db.response.returned_rows": 3 },
  });
});

test("an operation has its parent and the parent's subject, even after an await", async () => {
  const { operations, statements } = make();
  const request = { id: 1 };
  const requests = operations.of<object>({
    kind: "http",
    role: "server",
    describe: (subject) => ({ name: "GET /", subject }),
  });
  const seen: TracedOperation[] = [];
  operations.listen({ start: (operation) => void seen.push(operation) });
  await requests.run(request, async () => {
    await nextImmediate();
    void statements.run("SELECT", () => 0);
    expect(currentOperation()?.name).toBe("GET /");
  });
  void statements.run("SELECT", () => 0);
  const [outer, inner, root] = seen;
  expect(inner?.parent).toBe(outer);
  expect(inner?.subject).toBe(request);
  expect(root).toMatchObject({ parent: null, subject: null });
  expect(currentOperation()).toBeNull();
});

test("a listener receives only its kinds, whether it or the emitter was created first", () => {
  const { operations, statements, seen, listener } = make();
  operations.listen({ ...listener, kinds: ["http"] });
  operations.listen({ ...listener, kinds: ["db", "rpc"] });
  const calls: Operations<string> = operations.of({
    kind: "rpc",
    role: "client",
    describe: (name) => ({ name }),
  });
  void statements.run("SELECT", () => 0);
  void calls.run("ask", () => 0);
  expect(seen).toEqual(["start SELECT", "end select number", "start ask", "end ask number"]);
});

test("a listener's store has its state during the work and in within()", async () => {
  const { operations, statements, listener } = make();
  const store = new AsyncLocalStorage<string>();
  operations.listen({ ...listener, store });
  const inWork = statements.run("SELECT", () => (store.getStore() === "select" ? 1 : 0));
  expect([inWork, store.getStore()]).toEqual([1, undefined]);
  const cursor = statements.begin("FETCH");
  expect(await cursor?.within(async () => (await nextImmediate(), store.getStore()))).toBe("fetch");
});

test("end() publishes only once", () => {
  const { operations, statements, seen, listener } = make();
  operations.listen(listener);
  const cursor = statements.begin("FETCH");
  cursor?.fail(new Error("late"));
  cursor?.end({ rows: 2 });
  cursor?.end();
  expect(seen).toEqual(["start FETCH", "error late fetch", "end fetch number"]);
});

test("a removed listener still gets the end of a running operation, but no new operation", () => {
  const { operations, statements, seen, listener } = make();
  const stop = operations.listen(listener);
  const cursor = statements.begin("FETCH");
  stop();
  operations.listen({ start: () => {} });
  cursor?.end();
  void statements.run("SELECT", () => 0);
  expect(seen).toEqual(["start FETCH", "end fetch number"]);
});

test("a listener's error is reported and affects neither the work nor other listeners", () => {
  const { operations, statements, seen, listener, failures } = make();
  const bug = new Error("a bug");
  const fail = () => {
    throw bug;
  };
  const store = new AsyncLocalStorage<unknown>();
  operations.listen({ start: fail, end: () => void seen.push("never"), store });
  operations.listen({ start: () => {}, end: fail });
  operations.listen(listener);
  expect(statements.run("SELECT", () => 5)).toBe(5);
  expect(failures).toEqual([bug, bug]);
  expect(seen).toEqual(["start SELECT", "end select number"]);
});

test("channels publish the same object for each event, even without an app", () => {
  const seen: [string, TracedOperation][] = [];
  for (const event of ["start", "error", "end"]) {
    const eventChannel = channel(`framework.operation.${event}`);
    const note = (message: unknown): void => void seen.push([event, message as TracedOperation]);
    eventChannel.subscribe(note);
    undo.push(() => eventChannel.unsubscribe(note));
  }
  const statements = operationsWithoutApp(statement);
  const fail = () => {
    throw new Error("no");
  };
  expect(() => statements.run("SELECT", fail)).toThrow("no");
  expect(seen.map(([event]) => event)).toEqual(["start", "error", "end"]);
  expect(new Set(seen.map(([, operation]) => operation)).size).toBe(1);
  expect(seen[0]?.[1]).toMatchObject({ app: null, name: "SELECT" });
});

test("a store bound to the start channel is set during the work", () => {
  const store = new AsyncLocalStorage<string>();
  const start = channel("framework.operation.start");
  start.bindStore(store, (operation) => (operation as TracedOperation).name);
  undo.push(() => start.unbindStore(store));
  expect(operationsWithoutApp(statement).run("SELECT", () => (store.getStore() === "SELECT" ? 1 : 0))).toBe(
    1,
  );
});

test("another copy of this package sees the current operation", async () => {
  const seen: (TracedOperation | null)[] = [];
  const otherStore = new AsyncLocalStorage<TracedOperation>(); // bound as another copy binds it
  const contextChannel = channel("framework.operation.context");
  contextChannel.bindStore(otherStore);
  undo.push(() => contextChannel.unbindStore(otherStore));
  const { operations, statements } = make();
  operations.listen({ start: () => {} });
  void statements.run("SELECT", () => seen.push(otherStore.getStore() ?? null));
  expect(seen[0]?.name).toBe("SELECT");
});

test("without diagnostics channels the app's own listeners still work", async () => {
  const { seen, listener } = make();
  const context = { app: null, channels: noChannels, onListenerError: () => {}, now: () => 0 };
  const statements = createOperations(statement, [listener as OperationListener], context);
  expect(statements.run("SELECT", () => 1)).toBe(1);
  expect(seen).toEqual(["start SELECT", "end select number"]);
});
