import { App } from "@framework/core";
import type { Feature, HealthCheck, Metric } from "@framework/core/feature";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { eventSourcing, projection } from "../index.ts";
import { Borrowed, loanTypes } from "../loan.test-kit.ts";
import { patient, POISON, shelf, shelfRows } from "./shelf.test-kit.ts";

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
const newApp = () => new (App.with(database, durable, eventSourcing, insight))().enableDatabase(memory);
const readMetric = (name: string): unknown => metrics.find((metric) => metric.name === name)?.read();
const check = async (): Promise<unknown> =>
  checks.find(({ name }) => name === "projections")?.run(AbortSignal.timeout(60_000));

test("an app runs its projections, and handlers wait for what they wrote", async () => {
  const app = newApp().enableEventSourcing({ events: loanTypes, projections: [shelf()] });
  app.post("/loans/{id}", async ({ app: { eventStore, db }, params }) => {
    const { position } = await eventStore.append(`loan-${params.id}`, Borrowed({ member: "ann" }));
    return { isThere: await eventStore.waitFor(position, patient), rows: await shelfRows(db) };
  });
  await app.start({ log: silent });
  const reply = await app.fetch(new Request("http://localhost/loans/7", { method: "POST" }));
  const rows = [{ stream: "loan-7", member: "ann", days: 0, applied: 1 }];
  expect(await reply.json()).toEqual({ isThere: true, rows });
  await app.stop();
});

test("the health check fails for a projection that has stopped or is too far behind", async () => {
  const stopping = shelf({ onError: "stop", maxLagSecs: 60 });
  const app = newApp().enableEventSourcing({ events: loanTypes, projections: [stopping] });
  await app.start({ log: silent });
  await expect(check()).resolves.toBeUndefined();
  await app.eventStore.append("loan-1", Borrowed({ member: POISON }));
  await waitFor(async () => (await app.eventStore.projections.status())[0]?.errors.length === 1);
  await expect(check()).rejects.toThrow("projection shelf 1 has stopped");
  await app.db.execute("UPDATE framework_projection_shards SET state = 'ended'");
  await expect(check()).resolves.toBeUndefined();
  await app.db.execute("UPDATE framework_events SET recorded_at = recorded_at - 100000");
  await expect(check()).rejects.toThrow(/is 10\d s behind, more than 60 s/);
  await waitFor(() => JSON.stringify(readMetric("events_projection_lag_seconds")).includes("10"));
  expect(readMetric("events_projection_parked")).toEqual([
    { labels: { projection: "shelf", version: "1" }, value: 0 },
  ]);
  await app.stop();
});

test("subscriptions of an app end when it stops", async () => {
  const app = newApp().enableEventSourcing();
  await app.start({ log: silent });
  const subscription = app.eventStore.subscribe({}, () => {});
  await app.stop();
  await expect(subscription.done).resolves.toBeUndefined();
});

test("mistakes in projections are reported together, at start", async () => {
  const other = projection({ name: "other", tables: { shelf: "id TEXT" }, apply: async () => {} });
  const app = newApp().enableEventSourcing({ events: [], projections: [shelf(), shelf(), other] });
  const error = await app.start({ log: silent }).catch(String);
  for (const part of [
    "two projections are shelf 1",
    "both have a table shelf",
    "Borrowed, Extended, Returned",
  ])
    expect(error).toContain(part);
});

test.each([
  [{ name: "Shelf" }, "lower-case letters"],
  [{ shards: 65 }, "`shards` is a whole number from 1 to 64"],
  [{ batchSize: 0 }, "`batchSize` is a whole number from 1 to 1000"],
  [{ inline: true, shards: 2 }, "has one shard"],
  [{ inline: true, onError: "park" }, "cannot park"],
  [{ types: [] }, "`types` is empty"],
  [{ retry: { attempts: 0 } }, "attempts"],
] as const)("a definition with %j is refused", (options, message) => {
  expect(() => shelf(options)).toThrow(message);
});
