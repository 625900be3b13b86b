import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { Add, counterApp, failureOf, newLog, runStarted } from "./counters.test-kit.ts";
import { command, cqrs, CqrsConfig, query, VersionConflictError } from "./index.ts";

const newApp = () => new (App.with(database, durable, cqrs))().enableDatabase({ url: "sqlite://:memory:" });
const input = z.object({ name: z.string() });

test("handlers may be added before enableCqrs, and the enable calls may have any order", async () => {
  const app = new (App.with(database, durable, cqrs))();
  app.cqrs.handle(Add, () => ({ total: 7 }));
  app.enableCqrs().enableDatabase({ url: "sqlite://:memory:" });
  await app.start({ log: newLog() });
  expect((await app.cqrs.execute(Add, { name: "a", amount: 1 })).value).toEqual({ total: 7 });
  await app.stop();
});

test("all problems are reported together at start", async () => {
  const app = newApp();
  const Missing = command("Missing", { input });
  const Twice = command("Twice", { input });
  const Namesake = query("Twice", { input, output: input });
  app.enableCqrs({ operations: [Missing, Add], commandTimeoutMs: 0, maxRetries: 21 });
  app.cqrs
    .handle(Add, () => ({ total: 1 }))
    .handle(Twice, () => {})
    .handle(Twice, () => {})
    .handle(Namesake, () => ({ name: "" }))
    .handle(
      command("7", { input, timeoutMs: 0, key: "name" as never, idempotency: "maybe" as never }),
      () => {},
    )
    .handle(command("Nothing", { input }), undefined as never)
    .handle(query("Bad", { input: {} as never, output: {} as never, guards: [7 as never] }), () => 1 as never)
    .handle({} as never, (() => {}) as never)
    .handle(
      command("Put", { input, http: { path: "/", method: "GET" as never, status: 404 as never } }),
      () => {},
    )
    .handle(command("Open", { input, guard: [], http: { path: "/", guard: [] } } as never), () => {})
    .handle(
      query("Ask", { input, output: input, guard: [] } as never),
      { used: [] } as never,
      () => 1 as never,
    );
  const bad = { input, output: input, cache: { invalidatedBy: [], share: true } };
  app.cqrs
    .handle(query("Read", { ...bad, http: { path: "/", method: "POST" } } as never), () => 1 as never)
    .handle(
      query("Cached", { input, output: input, cache: { ttl: 60 } as never, http: { path: "/cached" } }),
      () => 1 as never,
    )
    .handle(
      query("Early", {
        input,
        output: input,
        cache: { invalidatedBy: [undefined as never] },
        http: { path: "/early" },
      }),
      () => 1 as never,
    )
    .handle(command("NoPath", { input, http: {} as never }), () => {})
    .handle(command("Text", { input, http: "/" as never }), () => {})
    .handle(
      command("Closed", {
        input,
        http: { path: "/closed", guards: 7 as never, routeOptions: { guards: [() => "no"] } },
      }),
      () => {},
    );
  const error = await failureOf(app.start({ log: newLog() }));
  const lines = error.message.split("\n").toSorted();
  expect(lines).toEqual([
    "CORE_BAD_CONFIG: CqrsConfig.commandTimeoutMs must be a whole number from 1 to 3600000, but is 0",
    "CORE_BAD_CONFIG: CqrsConfig.maxRetries must be a whole number from 0 to 20, but is 21",
    "CQRS_BAD_OPERATION: command 7: idempotency must be required, optional or none",
    "CQRS_BAD_OPERATION: command 7: its name must begin with a letter and have at most 100 letters, digits, dots, _ and -",
    "CQRS_BAD_OPERATION: command 7: key must be a function of the input",
    "CQRS_BAD_OPERATION: command 7: timeoutMs must be an integer from 1 to 3600000",
    "CQRS_BAD_OPERATION: command Closed: http.guards must be a list of guards",
    'CQRS_BAD_OPERATION: command Closed: http.routeOptions must not have "guards", which the endpoint sets itself',
    "CQRS_BAD_OPERATION: command NoPath: http must be an object with a path",
    'CQRS_BAD_OPERATION: command Open: http has no field "guard"; did you mean "guards"?',
    'CQRS_BAD_OPERATION: command Open: it has no field "guard"; did you mean "guards"?',
    "CQRS_BAD_OPERATION: command Put: http.method must be POST, PUT, PATCH or DELETE",
    "CQRS_BAD_OPERATION: command Put: http.status must be 200, 201 or 202",
    "CQRS_BAD_OPERATION: command Text: http must be an object with a path",
    'CQRS_BAD_OPERATION: query Ask: `handle` has no field "used"; did you mean "use"?',
    'CQRS_BAD_OPERATION: query Ask: it has no field "guard"; did you mean "guards"?',
    "CQRS_BAD_OPERATION: query Bad: guards must be a list of guards",
    "CQRS_BAD_OPERATION: query Bad: input must be a Standard Schema",
    "CQRS_BAD_OPERATION: query Bad: output must be a Standard Schema",
    "CQRS_BAD_OPERATION: query Cached: cache.invalidatedBy must be a list of event types",
    "CQRS_BAD_OPERATION: query Early: cache.invalidatedBy must be a list of event types",
    'CQRS_BAD_OPERATION: query Read: cache has no field "share"; did you mean "shared"?',
    'CQRS_BAD_OPERATION: query Read: http has no field "method"',
    "CQRS_BAD_OPERATION: the first argument of handle must be a command or query, created by `command` or `query`",
    "CQRS_BAD_OPERATION: the handler of command Nothing must be a function",
    "CQRS_DUPLICATE_HANDLER: a command and a query are both named Twice; rename one",
    "CQRS_DUPLICATE_HANDLER: command Twice has two handlers, or two commands have that name; keep one",
    "CQRS_NO_CACHE: query Early has cache; name the feature caching before cqrs in App.with, and call enableCaching()",
    "CQRS_NO_CACHE: query Read has cache; name the feature caching before cqrs in App.with, and call enableCaching()",
    "CQRS_NO_EVENT_STORE: query Early has cache.invalidatedBy; events need the feature eventSourcing, named before cqrs in App.with, and enableEventSourcing()",
    "CQRS_NO_HANDLER: command Missing has no handler; add app.cqrs.handle(Missing, …)",
  ]);
});

test("a second definition with the name of a listed operation is a start error", async () => {
  const app = newApp().enableCqrs({ operations: [command("Same", { input })] });
  app.cqrs.handle(command("Same", { input }), () => {});
  await expect(app.start({ log: newLog() })).rejects.toThrow(
    "CQRS_DUPLICATE_HANDLER: command Same has two handlers",
  );
});

test("injections are checked at start", async () => {
  const app = newApp().enableCqrs();
  app.cqrs.handle(Add, { inject: { ledger: "ledger" } }, () => ({ total: 1 }));
  await expect(app.start({ log: newLog() })).rejects.toThrow(/CORE_DEPENDENCY_MISSING: .*command Add/);
});

test("without enableCqrs, handlers are a start error, and calls fail with CQRS_NOT_ENABLED", async () => {
  const app = newApp();
  await expect(app.cqrs.execute(Add, { name: "a", amount: 1 })).rejects.toMatchObject({
    code: "CQRS_NOT_ENABLED",
  });
  app.cqrs.handle(Add, () => ({ total: 1 }));
  await expect(app.start({ log: newLog() })).rejects.toThrow(
    "CQRS_NOT_ENABLED: commands and queries need enableCqrs()",
  );
});

test("calls before the start, and of operations without a handler, are errors", async () => {
  await using storage = databaseInFile();
  const app = counterApp(storage);
  await expect(app.cqrs.execute(Add, { name: "a", amount: 1 })).rejects.toMatchObject({
    code: "CORE_NOT_STARTED",
  });
  app.cqrs.handle(Add, () => ({ total: 1 }));
  await runStarted(app, async () => {
    const Ad = command("Ad", { input });
    await expect(app.cqrs.execute(Ad, { name: "a" })).rejects.toThrow(
      "cqrs: command Ad has no handler in this app; did you mean Add?",
    );
    const Ask = query("Ask", { input, output: input });
    await expect(app.cqrs.query(Ask, { name: "a" })).rejects.toMatchObject({ code: "CQRS_NO_HANDLER" });
    expect(() => app.cqrs.handle(Ask, () => ({ name: "" }))).toThrow("after the app started");
  });
});

/** A feature that records operations and reads metrics. */
const recorder = (seen: unknown[][]): Feature<{ samples(name: string): unknown }> => ({
  name: "recorder",
  install: ({ insight }) => {
    insight.onOperation({
      kinds: ["command", "query"],
      start: () => {},
      end: ({ kind, name, attributes, error }) =>
        void seen.push([kind, name, attributes["cqrs.outcome"], error?.message ?? null]),
    });
    return {
      samples(name) {
        return insight
          .metrics()
          .find((metric) => metric.name === name)
          ?.read();
      },
    };
  },
});

test("calls are counted by operation and outcome, and traced", async () => {
  const seen: unknown[][] = [];
  const app = new (App.with(database, durable, cqrs, recorder(seen)))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  const Ask = query("Ask", { input, output: z.string() });
  app.cqrs
    .handle(Add, ({ amount }, { attempt }) => {
      if (amount < 0) throw new TypeError("negative");
      if (attempt < amount) throw new VersionConflictError();
      return { total: amount };
    })
    .handle(Ask, ({ name }) => name);
  await app.start({ log: newLog() });
  await app.cqrs.execute(Add, { name: "a", amount: 3 }, { idempotencyKey: "k" });
  await app.cqrs.execute(Add, { name: "a", amount: 3 }, { idempotencyKey: "k" });
  await failureOf(app.cqrs.execute(Add, { name: "a", amount: -1 }));
  await Promise.all([1, 2, 3].map(() => app.cqrs.query(Ask, { name: "x" })));
  expect(seen).toEqual([
    ["command", "Add", "success", null],
    ["command", "Add", "replay", null],
    ["command", "Add", "bug", "negative"],
    ...[1, 2, 3].map(() => ["query", "Ask", "success", null]),
  ]);
  expect(app.samples("cqrs_operations_total")).toEqual([
    { value: 1, labels: { operation: "Add", outcome: "success" } },
    { value: 1, labels: { operation: "Add", outcome: "replay" } },
    { value: 1, labels: { operation: "Add", outcome: "bug" } },
    { value: 3, labels: { operation: "Ask", outcome: "success" } },
  ]);
  expect([app.samples("cqrs_retries_total"), app.samples("cqrs_shared_queries_total")]).toEqual([2, 2]);
  await app.stop();
});

test("the defaults match the interface specification", () => {
  expect(CqrsConfig.of()).toMatchObject({ commandTimeoutMs: 5000, queryTimeoutMs: 3000, maxRetries: 3 });
});
