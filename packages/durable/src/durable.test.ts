import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { database, openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import { createKernel, kernelOf } from "./feature.ts";
import { durable, type DurableMethods } from "./index.ts";

const notes = [
  { number: 1, name: "create-notes", up: "CREATE TABLE framework_notes (id INTEGER PRIMARY KEY)" },
] as const;

interface Noting {
  enableNoting(): this;
}

const noting: Feature<Noting, DurableMethods> = {
  name: "noting",
  install: (_host, needs) => ({
    enableNoting() {
      kernelOf(needs).use("noting").tables("notes", notes);
      return this;
    },
  }),
};

const log = { info() {}, warn() {}, error() {} };
const memory = { url: "sqlite://:memory:" };
const newApp = () => new (App.with(database, durable, noting))();

test("the tables of a feature that uses the kernel exist after the start, whatever the order of the enable calls", async () => {
  const app = newApp().enableNoting().enableDurable({ leaseMs: 5000 }).enableDatabase(memory);
  await app.start({ log });
  expect(await app.db.fetchValue("SELECT count(*) FROM framework_notes")).toBe(0);
  await app.stop();
});

test("no table is created if no feature uses the kernel", async () => {
  const app = newApp().enableDurable().enableDatabase(memory);
  await app.start({ log });
  expect(await app.db.query("SELECT name FROM sqlite_schema WHERE name LIKE 'framework%'")).toEqual([]);
  await app.stop();
});

test("with migrateAtStart: false, missing tables are a start error until migrate() has run", async () => {
  await using db = Object.assign(openDatabase(memory), {
    [Symbol.asyncDispose]: () => db.close(),
  });
  const kernel = (migrateAtStart: boolean) =>
    createKernel(db, { config: { migrateAtStart } }).tables("notes", notes) as ReturnType<
      typeof createKernel
    >;
  await expect(kernel(false).start()).rejects.toThrow("notes 1 (create-notes); call app.durable.migrate()");
  await kernel(false).migrate();
  await kernel(false).start();
});

test("in production an app does not migrate by itself", async () => {
  const app = newApp().enableNoting().enableDatabase(memory);
  await expect(app.start({ log, env: "production" })).rejects.toMatchObject({
    cause: { code: "DURABLE_TABLES_MISSING" },
  });
});

test("a kernel in use without a database is reported at start, together with all other configuration errors", async () => {
  const app = newApp().enableNoting().enableDurable({ leaseMs: 1, pollMinMs: 2000 });
  const failure = app.start({ log });
  await expect(failure).rejects.toThrow("durable: noting needs a database; call enableDatabase()");
  await expect(failure).rejects.toThrow("DurableConfig.leaseMs must be a whole number from 1000 to 600000");
  await expect(failure).rejects.toThrow("DurableConfig.pollMinMs must not be above pollMaxMs");
});

test("a kernel without an app rejects contradictory options", () => {
  const db = openDatabase(memory);
  const create = () => createKernel(db, { config: { pollMinMs: 2000 } });
  expect(create).toThrow("DurableConfig.pollMinMs must not be above pollMaxMs");
});

test("migrate creates the table of parked work even if no feature uses it; before, pending lists it and calls are rejected", async () => {
  const app = new (App.with(database, durable))().enableDatabase(memory);
  expect(await app.durable.pending()).toContainEqual({
    set: "durable-parked",
    number: 1,
    name: "create-parked",
  });
  const { parked } = app.durable;
  const missing = { code: "DURABLE_TABLES_MISSING", message: expect.stringContaining("has not started") };
  for (const call of [
    () => parked.list(),
    () => parked.inspect("1"),
    () => parked.count(),
    () => parked.discard(["1"], { note: "x" }),
  ])
    await expect(call()).rejects.toMatchObject(missing);
  expect((await parked.replay(["1"])).failed).toEqual([
    { id: "1", reason: expect.stringContaining("has not started") },
  ]);
  await app.durable.migrate();
  expect(await app.durable.pending()).toEqual([]);
  expect(await app.durable.parked.list()).toMatchObject({ items: [] });
  await app.db.close();
});

test("the error of parked.list says that the app has not started", async () => {
  const app = new (App.with(database, durable))().enableDatabase(memory);
  app.durable.kernel.queue({ name: "mail", handle: async () => {} });
  await expect(app.durable.parked.list()).rejects.toMatchObject({
    code: "DURABLE_TABLES_MISSING",
    message: expect.stringContaining(
      "the app has not started; use queues, jobs and parked work after the start",
    ),
  });
  await app.db.close();
});

test("the error of parked.list in a started app says that no feature has used parked work", async () => {
  const app = new (App.with(database, durable))().enableDatabase(memory);
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await expect(app.durable.parked.list()).rejects.toMatchObject({
    code: "DURABLE_TABLES_MISSING",
    message: expect.stringContaining("no feature of this app has used it so far"),
  });
  await app.stop();
});

test("the error names the missing feature if durable has no database before it, or a feature has no durable before it", () => {
  const compose = App.with as unknown as (...features: object[]) => typeof App;
  const eager: Feature<object, DurableMethods> = {
    name: "eager",
    install: (_host, needs) => ({ kernel: kernelOf(needs) }),
  };
  for (const [features, message] of [
    [[durable, database], "the feature durable needs app.db from earlier features"],
    [
      [database, eager],
      "a feature needs durable before it: class MyApp extends App.with(database, durable, ",
    ],
  ] as const)
    expect(() => new (compose.apply(App, [...features]))()).toThrow(
      expect.objectContaining({
        code: "CORE_FEATURE_MISSING",
        message: expect.stringContaining(message),
      }),
    );
});
