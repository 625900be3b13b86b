import { App } from "@framework/core";
import type { Feature, HealthCheck, Metric } from "@framework/core/feature";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { eventSourcing, openEventStore, projection } from "../index.ts";
import { Borrowed, loanTypes } from "../loan.test-kit.ts";
import { appendLoans, longTimeout, POISON, shelf, shelfRows } from "./shelf.test-kit.ts";

const silent = { info() {}, warn() {}, error() {} };
const memory = { url: "sqlite://:memory:" };

let metrics: readonly Metric[] = [];
let checks: readonly HealthCheck[] = [];
const insight: Feature<object> = {
  name: "insight",
  install: (host) => {
    host.life.onStart(() => {
      metrics = host.insight.metrics();
      checks = host.insight.healthChecks();
    });
    return {};
  },
};
const newApp = (on: { url: string } = memory) =>
  new (App.with(database, durable, eventSourcing, insight))().enableDatabase(on);
const readMetric = (name: string): unknown => metrics.find((metric) => metric.name === name)?.read();
const check = async (): Promise<unknown> =>
  checks.find(({ name }) => name === "projections")?.run(AbortSignal.timeout(60_000));

test("an app runs its projections, and handlers can wait for their own writes", async () => {
  const app = newApp().enableEventSourcing({ events: loanTypes, projections: [shelf()] });
  app.post("/loans/{id}", async ({ app: { eventStore, db }, params }) => {
    const { position } = await eventStore.append(`loan-${params.id}`, Borrowed({ member: "ann" }));
    return { isApplied: await eventStore.waitFor(position, longTimeout), rows: await shelfRows(db) };
  });
  await app.start({ log: silent });
  const reply = await app.fetch(new Request("http://localhost/loans/7", { method: "POST" }));
  const rows = [{ stream: "loan-7", member: "ann", days: 0, applied: 1 }];
  expect(await reply.json()).toEqual({ isApplied: true, rows });
  await app.stop();
});

test("projections run during the drain, so that requests in flight can wait for their own writes", async () => {
  const seen: boolean[] = [];
  const inFlight: Feature<object> = {
    name: "in-flight",
    install: (host) => {
      host.life.onDrain(async () => {
        for (const stream of ["loan-1", "loan-2", "loan-3"]) {
          const { position } = await app.eventStore.append(stream, Borrowed({ member: "ann" }));
          seen.push(await app.eventStore.waitFor(position, { timeoutMs: 20_000 }));
        }
      });
      return {};
    },
  };
  const app = new (App.with(database, durable, eventSourcing, inFlight))()
    .enableDatabase(memory)
    .enableEventSourcing({ events: loanTypes, projections: [shelf()] });
  await app.start({ log: silent });
  await app.stop({ timeoutSecs: 120 });
  expect(seen).toEqual([true, true, true]);
}, 90_000);

test("the health check fails for a projection that has stopped or exceeds maxLagSecs", async () => {
  await using file = databaseInFile();
  const stoppingShelf = shelf({ onError: "stop", maxLagSecs: 60 });
  const app = newApp(file).enableEventSourcing({ events: loanTypes, projections: [stoppingShelf] });
  await app.start({ log: silent });
  await expect(check()).resolves.toBeUndefined();
  await app.eventStore.append("loan-1", Borrowed({ member: POISON }));
  await waitFor(async () => (await app.eventStore.projections.status())[0]?.errors.length === 1);
  await expect(check()).rejects.toThrow("projection shelf 1 has stopped");
  await app.db.execute("UPDATE framework_projection_shards SET state = 'ended'");
  await expect(check()).resolves.toBeUndefined();
  await app.db.execute("UPDATE framework_events SET recorded_at = recorded_at - 100000");
  await expect(check()).rejects.toThrow(/lags by 10\d s, more than 60 s/);
  await app.stop();

  const next = newApp(file).enableEventSourcing({ events: loanTypes, projections: [stoppingShelf] });
  await next.start({ log: silent });
  const labels = { projection: "shelf", version: "1" };
  const lag = await waitFor(() => {
    const samples = readMetric("events_projection_lag_seconds");
    return Array.isArray(samples) && samples.length > 0 && samples;
  }); // collected from the start
  expect(lag).toEqual([{ labels, value: expect.closeTo(100, -1) }]);
  expect(readMetric("events_projection_parked")).toEqual([{ labels, value: 0 }]);
  await next.stop();
});

test("the health check fails for a lagging live version that the process lacks, if it has another version of the projection", async () => {
  await using file = databaseInFile();
  const first = newApp(file).enableEventSourcing({ events: loanTypes, projections: [shelf()] });
  await first.start({ log: silent });
  await first.stop();
  const next = newApp(file).enableEventSourcing({
    events: loanTypes,
    projections: [shelf({ version: 2, autoLive: false, maxLagSecs: 60 })],
  });
  await next.start({ log: silent });
  await next.eventStore.append("loan-1", Borrowed({ member: "ann" }));
  await expect(check()).resolves.toBeUndefined(); // an earlier process may still update it
  await next.db.execute("UPDATE framework_events SET recorded_at = recorded_at - 100000");
  await expect(check()).rejects.toThrow(
    /^projection shelf 1 lags by \d+ s, more than 60 s; this process does not have that version$/,
  );
  await waitFor(() => next.eventStore.projections.goLive("shelf", 2));
  await expect(check()).resolves.toBeUndefined();
  await next.stop();
});

test("an app that is not started makes a version live, while no process runs", async () => {
  await using file = databaseInFile();
  const compose = () =>
    newApp(file).enableEventSourcing({
      events: loanTypes,
      projections: [shelf(), shelf({ version: 2, autoLive: false })],
    });
  const serving = compose();
  await serving.start({ log: silent });
  await serving.stop();
  const operating = compose();
  expect(await operating.eventStore.projections.goLive("shelf")).toBe(true);
  const versions = await operating.eventStore.projections.status();
  expect(versions.map(({ version, status }) => [version, status])).toEqual([
    [1, "retired"],
    [2, "live"],
  ]);
  await operating.db.close();
});

test("the admin API of parked work lists, inspects, replays and discards parked events", async () => {
  const app = newApp()
    .enableDurable({ admin: { path: "/admin", guards: [() => true] } })
    .enableEventSourcing({ events: loanTypes, projections: [shelf()] });
  await app.start({ log: silent });
  const { position } = await app.eventStore.append("loan-1", Borrowed({ member: POISON }));
  await app.eventStore.append("loan-2", Borrowed({ member: POISON }));
  await waitFor(async () => (await app.durable.parked.count()) === 2);
  const call = async (path: string, body?: object): Promise<unknown> => {
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const url = `http://localhost/admin/parked${path}`;
    const sent = body === undefined ? {} : { ...init, body: JSON.stringify(body) };
    return await (await app.fetch(new Request(url, sent))).json();
  };
  const { items } = (await call("?source=projection&name=shelf%20v1")) as { items: { id: string }[] };
  const [one, other] = items.map(({ id }) => id);
  expect(await call(`/${one}`)).toMatchObject({
    key: "/loan-1",
    errorMessage: "poison",
    attempts: 2,
    payload: { stream: "loan-1", version: 1, type: "Borrowed", position, data: { member: POISON } },
  });
  expect(await call("/replay", { ids: [one] })).toEqual({ replayed: 1, failed: [] });
  await waitFor(async () => (await app.durable.parked.inspect(one ?? ""))?.attempts === 3); // it failed again
  expect(await call("/discard", { ids: [other], note: "entered twice" })).toEqual({ discarded: 1 });
  expect((await app.eventStore.projections.status())[0]?.parked).toBe(1);
  await app.stop();
});

test("a projection stops before an event that it cannot park because maxParked is reached", async () => {
  const app = newApp()
    .enableDurable({ maxParked: 1 })
    .enableEventSourcing({ events: loanTypes, projections: [shelf()] });
  await app.start({ log: silent });
  for (const id of [1, 2]) await app.eventStore.append(`loan-${id}`, Borrowed({ member: POISON }));
  const errors = async () => (await app.eventStore.projections.status())[0]?.errors ?? [];
  await waitFor(async () => (await errors()).length === 1);
  expect(await errors()).toEqual([expect.stringContaining("maxParked is reached")]);
  const [parked] = (await app.durable.parked.list()).items;
  await app.durable.parked.discard([parked?.id ?? ""], { note: "room" });
  await app.eventStore.projections.resume("shelf");
  await waitFor(async () => (await app.durable.parked.list()).items[0]?.key === "/loan-2");
  await app.stop();
});

test("a projection that catches up yields to the event loop after each transaction", async () => {
  const store = await openEventStore({ storeType: "memory", events: loanTypes });
  await appendLoans(store, 300);
  const reading = await openEventStore(
    { events: loanTypes, projections: [shelf({ batchSize: 3 })] },
    { db: store.db },
  );
  let turns = 0;
  let isReading = true;
  const turn = (): void => {
    turns++;
    if (isReading) setImmediate(turn);
  };
  setImmediate(turn);
  expect(await reading.waitFor(await store.position(), longTimeout)).toBe(true);
  isReading = false;
  expect(turns).toBeGreaterThan(90); // of 100 transactions; 0 if it blocked the event loop
  await reading.close();
  await store.close();
});

test("subscriptions of an app end when it stops", async () => {
  const app = newApp().enableEventSourcing();
  await app.start({ log: silent });
  const subscription = app.eventStore.subscribe({}, () => {});
  await app.stop();
  await expect(subscription.done).resolves.toBeUndefined();
});

test("errors in projections are reported together at start", async () => {
  const other = projection({ name: "other", tables: { shelf: "id TEXT" }, apply: async () => {} });
  const tables = { shelf_v1: "id TEXT" };
  const versioned = projection({ name: "versioned", tables, apply: async () => {} });
  const projections = [shelf(), shelf(), other, versioned];
  const app = newApp().enableEventSourcing({ events: [], projections });
  const error = await app.start({ log: silent }).catch(String);
  for (const part of [
    "two projections have the name shelf and version 1",
    "both have a table shelf",
    "the table shelf of projection shelf 1 is named shelf_v1 in the database",
    "Borrowed, Extended, Returned",
  ])
    expect(error).toContain(part);
});

test.each([
  [{ name: "Shelf" }, "lower-case letters"],
  [{ shards: 65 }, "`shards` must be an integer from 1 to 64"],
  [{ batchSize: 0 }, "`batchSize` must be an integer from 1 to 1000"],
  [{ inline: true, shards: 2 }, "must have one shard"],
  [{ inline: true, onError: "park" }, "cannot park"],
  [{ types: [] }, "`types` must not be empty"],
  [{ retry: { attempts: 0 } }, "attempts"],
] as const)("a definition with %j is refused", (options, message) => {
  expect(() => shelf(options)).toThrow(message);
});
