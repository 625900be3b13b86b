import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledProgram } from "@framework/bundled-sources";
import { App, RequestId } from "@framework/core";
import { type Feature, type Metric, Trace, User } from "@framework/core/feature";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { startProgram, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { collect } from "./contract/store-fixture.ts";
import { CausationId, eventSourcing, eventType, type StoredEvent } from "./index.ts";
import { Borrowed, Loan, loanTypes } from "./loan.test-kit.ts";

const memory = { url: "sqlite://:memory:" };
const silent = { info() {}, warn() {}, error() {} };

let metrics: readonly Metric[] = [];
const insight: Feature<object> = {
  name: "insight",
  install: (host) => {
    host.life.onStart(() => {
      metrics = host.insight.metrics();
    });
    return {};
  },
};

const newApp = () => new (App.with(database, durable, eventSourcing, insight))();
const newEvent = { type: "Something", data: {} };
const readMetric = (name: string): unknown => metrics.find((metric) => metric.name === name)?.read();

test("the store uses the app's database, in any order of the enable calls", async () => {
  const app = newApp().enableEventSourcing({ events: loanTypes }).enableDatabase(memory);
  await app.start({ log: silent });
  await app.eventStore.append("loan-1", Borrowed({ member: "ann" }));
  expect(await app.db.fetchValue("SELECT type FROM framework_events")).toBe("Borrowed");
  expect(readMetric("events_appended_total")).toBe(1);
  expect(readMetric("events_oldest_open_append_seconds")).toBe(0);
  expect(app.eventStore.db).toBe(app.db);
  await app.stop();
});

test("a start that fails ends the subscriptions of its startup handlers", async () => {
  const app = newApp().enableEventSourcing({ events: loanTypes }).enableDatabase(memory);
  let done: Promise<unknown> | undefined;
  app.onEvent("startup", () => {
    ({ done } = app.eventStore.subscribe({}, () => {}));
    throw new Error("no mail server");
  });
  await expect(app.start({ log: silent })).rejects.toThrow("no mail server");
  await expect(done).resolves.toBeUndefined();
});

test("eventStore throws before enableEventSourcing, which needs a database", async () => {
  expect(() => newApp().eventStore).toThrow("call enableEventSourcing()");
  await expect(newApp().enableEventSourcing().start({ log: silent })).rejects.toThrow("enableDatabase");
});

test("only stored snapshots are counted", async () => {
  const app = newApp().enableDatabase(memory).enableEventSourcing({ events: loanTypes, snapshotInterval: 1 });
  await app.start({ log: silent });
  await app.eventStore.append("loan-1", Borrowed({ member: "ann" }));
  const newer: typeof Loan = { ...Loan, fold: { ...Loan.fold, version: 2, hash: "newer" } };
  await app.eventStore.aggregate(newer, "1").load();
  await waitFor(() => readMetric("events_snapshots_taken_total") === 1);
  await app.eventStore.aggregate(Loan, "1").load();
  await app.stop(); // takes the pending snapshots
  expect(readMetric("events_snapshots_taken_total")).toBe(1);
});

test("configuration errors are reported together", async () => {
  const app = newApp()
    .enableDatabase(memory)
    .enableEventSourcing({
      snapshotInterval: 0,
      connectionUrl: "mysql://localhost",
      events: [Borrowed, eventType("Borrowed", Borrowed.schema)],
    });
  const error = await app.start({ log: silent }).catch(String);
  for (const part of ["snapshotInterval", "connectionUrl", "two event types have the name Borrowed"])
    expect(error).toContain(part);
});

test("a storeType that differs from the database is a start error", async () => {
  const start = (storeType: "postgres" | "sqlite" | "memory", connectionUrl?: string) =>
    newApp().enableDatabase(memory).enableEventSourcing({ storeType, connectionUrl }).start({ log: silent });
  await expect(start("postgres")).rejects.toThrow("the database is sqlite");
  await expect(start("postgres", "sqlite://:memory:")).rejects.toThrow('storeType is "postgres"');
  await expect(start("sqlite", "postgres://localhost/x")).rejects.toThrow("the database is postgres");
  await expect(start("memory", "sqlite://file.db")).rejects.toThrow("remove one");
});

test("a storeType that matches the database is accepted", async () => {
  const app = newApp().enableDatabase(memory).enableEventSourcing({ storeType: "sqlite" });
  await app.start({ log: silent });
  expect((await app.eventStore.append("s-1", newEvent)).version).toBe(1);
  await app.stop();
});

test("an in-memory store has a separate database, and refuses to start with several workers", async () => {
  const app = newApp().enableDatabase(memory).enableEventSourcing({ storeType: "memory" });
  await app.start({ log: silent });
  await app.eventStore.append("s-1", newEvent);
  expect(await app.db.query("SELECT name FROM sqlite_schema WHERE name = 'framework_events'")).toEqual([]);
  await app.stop();
  const program = bundledProgram(new URL("./in-memory.test-program.ts", import.meta.url));
  const options = { args: ["--workers", "2"], conditions: ["@framework/source"] };
  await expect(startProgram(program, options)).rejects.toThrow(
    "2 workers would have its own events in memory",
  );
});

test("connectionUrl opens a separate database, and closes it when the app stops", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "events-"));
  const connectionUrl = `sqlite://${join(folder.path, "own.db")}`;
  const appendOnce = async (): Promise<number> => {
    const app = newApp().enableDatabase(memory).enableEventSourcing({ connectionUrl });
    await app.start({ log: silent });
    const { version } = await app.eventStore.append("s-1", newEvent);
    await app.stop();
    await expect(app.eventStore.append("s-1", newEvent)).rejects.toMatchObject({ code: "DATABASE_CLOSED" });
    return version;
  };
  expect([await appendOnce(), await appendOnce()]).toEqual([1, 2]);
});

test("a stream that exceeds maxEventsPerAggregate is logged once", async () => {
  const lines: unknown[] = [];
  const log = { ...silent, warn: (message: string, fields?: object) => void lines.push([message, fields]) };
  const app = newApp().enableDatabase(memory).enableEventSourcing({ maxEventsPerAggregate: 3 });
  await app.start({ log });
  for (let count = 0; count < 6; count++) await app.eventStore.append("s-1", newEvent);
  await app.eventStore.append("s-2", Array(3).fill(newEvent));
  expect(lines).toEqual([
    [
      expect.stringContaining("longer than maxEventsPerAggregate"),
      expect.objectContaining({ stream: "s-1", version: 4 }),
    ],
  ]);
  expect(readMetric("events_long_streams_total")).toBe(1);
  await app.stop();
});

test("streams without an event for eventTtlSecs are archived", async () => {
  const app = newApp().enableDatabase(memory).enableEventSourcing({ eventTtlSecs: 60 });
  await app.start({ log: silent });
  await app.eventStore.append("old-1", newEvent);
  await app.eventStore.append("new-1", newEvent);
  await app.db.execute("UPDATE framework_streams SET updated_at = updated_at - 61000 WHERE stream = 'old-1'");
  await waitFor(() => readMetric("events_streams_archived_total") === 1);
  await expect(app.eventStore.append("old-1", newEvent)).rejects.toMatchObject({
    code: "EVENTS_STREAM_ARCHIVED",
  });
  await app.eventStore.append("new-1", newEvent);
  expect(await collect(app.eventStore.read("old-1"))).toHaveLength(1);
  await app.stop();
});

test("metadata that is undefined counts as not given: it does not remove the metadata of the request", async () => {
  const app = newApp().enableDatabase(memory).enableEventSourcing();
  app.use((request, next) => {
    request.context.set(RequestId, "request-1").set(User, "ann");
    return next(request);
  });
  const missing = undefined as never; // most programs compile without exactOptionalPropertyTypes
  app.post("/things", async ({ app: { eventStore } }) => {
    await eventStore.append(
      "s-1",
      { ...newEvent, metadata: { correlationId: missing, reason: "test" } },
      { metadata: { actor: missing } },
    );
    return "done";
  });
  await app.start({ log: silent });
  await app.fetch(new Request("http://localhost/things", { method: "POST" }));
  const [event] = await collect<StoredEvent>(app.eventStore.read("s-1"));
  expect(event?.metadata).toEqual({ correlationId: "request-1", actor: "ann", reason: "test" });
  await app.stop();
});

test("the metadata of events identifies their request, even without a tracer or metrics", async () => {
  const app = newApp().enableDatabase(memory).enableEventSourcing();
  app.use((request, next) => {
    request.context
      .set(RequestId, "request-1")
      .set(Trace, { traceId: "t".repeat(32), spanId: "s".repeat(16) })
      .set(User, "ann")
      .set(CausationId, "command-1");
    return next(request);
  });
  app.post("/things", async ({ app: { eventStore } }) => {
    await new Promise(setImmediate);
    await eventStore.append(
      "s-1",
      { ...newEvent, metadata: { reason: "test" } },
      { metadata: { actor: "bob" } },
    );
    return "done";
  });
  await app.start({ log: silent });
  await app.fetch(new Request("http://localhost/things", { method: "POST" }));
  await app.eventStore.append("s-1", newEvent);
  const [one, two] = await collect<StoredEvent>(app.eventStore.read("s-1"));
  expect(one?.metadata).toEqual({
    correlationId: "request-1",
    causationId: "command-1",
    traceId: "t".repeat(32),
    spanId: "s".repeat(16),
    actor: "bob",
    reason: "test",
  });
  expect(two?.metadata).toEqual({});
  await app.stop();
});
