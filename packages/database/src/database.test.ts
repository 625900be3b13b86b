import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "@framework/core";
import type { Feature, HealthCheck, Metric, TracedOperation } from "@framework/core/feature";
import { eachClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Database, database, Db, openDatabase, sql } from "./index.ts";

interface Insight {
  readonly checks: readonly HealthCheck[];
  readonly metrics: readonly Metric[];
}

let insight: Insight = { checks: [], metrics: [] };
const watcher: Feature = {
  name: "watcher",
  install: (host) => {
    host.life.onStart(() => {
      insight = { checks: host.insight.healthChecks(), metrics: host.insight.metrics() };
    });
    return {};
  },
};

const App_ = App.with(database, watcher);

const memoryApp = () => {
  const app = new App_().enableDatabase({ url: "sqlite://:memory:" });
  app.onEvent("startup", async () => {
    await app.db.execute("CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT)");
  });
  app.post(
    "/books/{title}",
    async ({ app: { db }, params }) =>
      await db.fetchOne`INSERT INTO books (title) VALUES (${params.title}) RETURNING id, title`,
  );
  app.get("/books", { inject: { db: Db } }, async (_request, { db }) => ({
    books: await db.query("SELECT * FROM books"),
  }));
  app.get("/broken", async ({ app: { db } }) => await db.query("SELECT * FROM secret_table"));
  return app;
};

eachClient(test, memoryApp, {
  "the database is app.db in start tasks and handlers, and a dependency": async (client) => {
    expect((await client.post("/books/Dune")).json()).toEqual({ id: 1, title: "Dune" });
    expect((await client.get("/books")).json()).toEqual({ books: [{ id: 1, title: "Dune" }] });
  },
  "a failed statement gets 500": async (client) => {
    const reply = await client.get("/broken");
    expect(reply.status).toBe(500);
  },
});

test("in production a failed statement is not disclosed to clients", async () => {
  const app = memoryApp();
  await app.start({ env: "production", log: { info() {}, warn() {}, error() {} } });
  await using client = testClient(app);
  const reply = await client.get("/broken");
  expect(reply.status).toBe(500);
  expect(reply.text).not.toContain("secret_table");
});

test("all mistakes of a configuration are reported together, at start", async () => {
  const app = new App_().enableDatabase({ url: "mysql://x", poolSize: 0, maxLifetime: 1 } as never);
  await expect(app.fetch(new Request("http://localhost/"))).rejects.toThrow(
    /url must be[\s\S]*poolSize|poolSize[\s\S]*url must be/,
  );
});

test("using the database without enableDatabase names the missing call", () => {
  expect(() => new App_().db).toThrow("call enableDatabase()");
});

test("a health check queries the database, and metrics count statements", async () => {
  const app = memoryApp();
  await using client = testClient(app);
  await client.post("/books/Dune");
  await client.get("/broken");
  const check = insight.checks.find(({ name }) => name === "database");
  expect(await check?.run(AbortSignal.timeout(60_000))).toMatchObject({ dialect: "sqlite" });
  const metric = (name: string) => insight.metrics.find((each) => each.name === name)?.read();
  expect(metric("database_statements_total")).toBeGreaterThanOrEqual(3);
  expect(metric("database_failures_total")).toBe(1);
  expect(metric("database_connections_open")).toBe(1);
});

test("durations of all statements, failed ones included, are recorded when a feature records histograms", async () => {
  const seen: [string, number][] = [];
  const recorder: Feature = {
    name: "recorder",
    install: (host) => {
      host.insight.recordHistograms(
        ({ name }) =>
          (value) =>
            void seen.push([name, value]),
      );
      return {};
    },
  };
  const app = new (App.with(database, recorder))().enableDatabase({ url: "sqlite://:memory:" });
  await app.db.fetchValue("SELECT 1");
  await expect(app.db.query("SELECT * FROM nowhere")).rejects.toThrow("no such table");
  await app.stop();
  const count = (name: string) =>
    seen.filter(([each]) => each === `database_${name}_duration_seconds`).length;
  expect([count("statement"), count("wait")]).toEqual([2, 2]);
  expect(seen.every(([, seconds]) => seconds >= 0 && seconds < 60)).toBe(true);
});

test("migrations run at start only with migrateAtStart, and their failure fails the start", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  writeFileSync(join(folder.path, "0001-books.up.sql"), "CREATE TABLE books (id INTEGER)");
  const make = (migrateAtStart: boolean): { db: Database; fetch: App["fetch"] } =>
    new App_().enableDatabase({ url: "sqlite://:memory:", migrations: folder.path, migrateAtStart });
  const send = (app: { fetch: App["fetch"] }) => app.fetch(new Request("http://localhost/"));
  const migrated = make(true);
  await send(migrated);
  expect(await migrated.db.fetchValue("SELECT count(*) FROM books")).toBe(0);
  const unmigrated = make(false);
  await send(unmigrated);
  await expect(unmigrated.db.query("SELECT * FROM books")).rejects.toThrow("no such table");
  writeFileSync(join(folder.path, "0002-broken.up.sql"), "SELEKT");
  await expect(send(make(true))).rejects.toThrow(
    /database.*failed.*0002-broken\.up\.sql:1: .*\n {2}1 \| SELEKT/,
  );
});

test("a start with a missing or unset folder of migrations fails with the reason", async () => {
  const start = (config: Parameters<InstanceType<typeof App_>["enableDatabase"]>[0]) =>
    new App_().enableDatabase({ url: "sqlite://:memory:", migrateAtStart: true, ...config }).start();
  await expect(start({ migrations: "/nowhere/migrations" })).rejects.toThrow(
    "the folder of migrations /nowhere/migrations does not exist",
  );
  await expect(start({})).rejects.toThrow("DATABASE_NO_MIGRATIONS: migrateAtStart needs `migrations`");
});

test("a startup handler sees the migrated tables, even if it was added before enableDatabase", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  writeFileSync(join(folder.path, "0001-books.up.sql"), "CREATE TABLE books (id INTEGER)");
  const app = new App_();
  let count: unknown;
  app.onEvent("startup", async () => {
    count = await app.db.fetchValue("SELECT count(*) FROM books");
  });
  app.enableDatabase({ url: "sqlite://:memory:", migrations: folder.path, migrateAtStart: true });
  await app.start();
  expect(count).toBe(0);
  await app.stop();
});

/** Records the operations of this process from their channels. */
const watchOperations = (note: (event: string, operation: TracedOperation) => void): Disposable => {
  const listeners = ["start", "error", "end"].map((event) => {
    const listener = (message: unknown): void => note(event, message as TracedOperation);
    subscribe(`framework.operation.${event}`, listener);
    return [`framework.operation.${event}`, listener] as const;
  });
  return { [Symbol.dispose]: () => listeners.forEach((each) => void unsubscribe(...each)) };
};

test("each statement is an operation within the operation of its request, without its parameters", async () => {
  const app = memoryApp();
  await using client = testClient(app);
  await client.get("/books");
  const seen: TracedOperation[] = [];
  using _ = watchOperations((event, operation) => void (event === "end" && seen.push(operation)));
  await client.post("/books/Dune");
  const [statement, request] = seen;
  expect(statement).toMatchObject({
    kind: "db",
    role: "client",
    name: "INSERT",
    app,
    subject: { path: "/books/Dune" },
  });
  expect(statement?.parent).toBe(request);
  expect(statement?.attributes).toEqual({
    "db.system.name": "sqlite",
    "db.operation.name": "INSERT",
    "db.query.text": "INSERT INTO books (title) VALUES ($1) RETURNING id, title",
  });
});

test("a stream is one operation, from its first row to its end, and a failed stream is a failed operation", async () => {
  const app = memoryApp();
  await using client = testClient(app);
  await client.post("/books/Dune");
  const seen: unknown[] = [];
  using _ = watchOperations((event, { attributes, error }) => {
    seen.push([event, attributes["db.query.text"], error?.message]);
  });
  const titles = sql`SELECT title FROM books WHERE title = ${"Dune"}`;
  for await (const row of app.db.stream(titles)) seen.push(row);
  for await (const _row of app.db.stream(titles)) break;
  await expect(app.db.stream(sql`SELECT * FROM nowhere`).next()).rejects.toThrow("no such table");
  const { text } = titles;
  expect(seen).toEqual([
    ["start", text, undefined],
    { title: "Dune" },
    ["end", text, undefined],
    ["start", text, undefined],
    ["end", text, undefined],
    ["start", "SELECT * FROM nowhere", undefined],
    ["error", "SELECT * FROM nowhere", "no such table: nowhere"],
    ["end", "SELECT * FROM nowhere", "no such table: nowhere"],
  ]);
  const metric = (name: string) => insight.metrics.find((each) => each.name === name)?.read();
  expect(metric("database_failures_total")).toBe(1);
});

test("a statement without an app is an operation, named by its SQL verb or OTHER", async () => {
  const seen: unknown[] = [];
  using _ = watchOperations((event, { name, app }) => void seen.push([event, name, app]));
  const db = openDatabase({ url: "sqlite://:memory:" });
  await db.fetchValue("select 1");
  await expect(db.query("SELEKT 1")).rejects.toThrow("syntax");
  await db.close();
  expect(seen).toEqual([
    ["start", "SELECT", null],
    ["end", "SELECT", null],
    ["start", "OTHER", null],
    ["error", "OTHER", null],
    ["end", "OTHER", null],
  ]);
});

test("an in-memory database is rejected with more than one worker", async () => {
  const app = new App_().enableDatabase({ url: "sqlite://:memory:" });
  const settings = { workers: 2 } as Parameters<typeof app.start>[0];
  await expect(app.start(settings)).rejects.toThrow("each of 2 workers would have its own database");
});
