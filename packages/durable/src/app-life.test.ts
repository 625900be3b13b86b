import { App } from "@framework/core";
import type { Feature, HealthCheck, Host } from "@framework/core/feature";
import { database } from "@framework/database";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { kernelOf, type Lane } from "./feature.ts";
import { durable, type DurableMethods } from "./index.ts";
import { sqliteFile } from "./testing/open-databases.test-kit.ts";

interface Working {
  enableWorking(run: (lane: Lane) => Promise<void>): this;
  readonly insight: Host["insight"];
}

/** A feature that runs two lanes. */
const working: Feature<Working, DurableMethods> = {
  name: "working",
  install: (host, needs) => ({
    enableWorking(run) {
      kernelOf(needs).use("working").lanes({ kind: "working", count: 2, run });
      return this;
    },
    get insight() {
      return host.insight;
    },
  }),
};

const log = { info() {}, warn() {}, error() {} };
const WorkingApp = App.with(database, durable, working);
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

test("lanes run after the startup handlers, and end before the shutdown handlers", async () => {
  await using file = await sqliteFile();
  const events: string[] = [];
  const app = new WorkingApp()
    .enableWorking(async ({ lane, signal }) => {
      events.push(`begin ${lane}`);
      await untilAborted(signal);
      events.push(`end ${lane}`);
    })
    .enableDurable({ pollMinMs: 5 })
    .enableDatabase({ url: file.url })
    .onEvent("startup", () => void events.push("startup"))
    .onEvent("shutdown", () => void events.push("shutdown"));
  await app.start({ log });
  await waitFor(() => events.includes("begin 0") && events.includes("begin 1"), { subject: "both lanes" });
  await app.stop();
  expect(events[0]).toBe("startup");
  expect(events.slice(3, 5).toSorted()).toEqual(["end 0", "end 1"]);
  expect(events.at(-1)).toBe("shutdown");
});

test("a stopped app leaves no owner, no member and no lease", async () => {
  await using file = await sqliteFile();
  let runs = 0;
  const app = new WorkingApp()
    .enableWorking(({ signal }) => (runs++, untilAborted(signal)))
    .enableDatabase({ url: file.url });
  await app.start({ log });
  await waitFor(() => runs === 2, { subject: "both lanes" });
  await app.stop();
  const db = file.open();
  expect(await db.query("SELECT * FROM framework_owners")).toEqual([]);
  expect(await db.query("SELECT * FROM framework_lane_members")).toEqual([]);
  expect(await db.query("SELECT * FROM framework_leases WHERE owner IS NOT NULL")).toEqual([]);
});

test("a start that fails after lanes have begun ends them, and leaves no owner, no member and no lease", async () => {
  await using file = await sqliteFile();
  const events: string[] = [];
  const failing: Feature = {
    name: "failing",
    install(host) {
      const run = async (): Promise<void> => {
        await waitFor(() => events.length === 2, { subject: "both lanes" });
        throw new Error("no port");
      };
      host.life.onListening({ name: "failing", run });
      return {};
    },
  };
  const app = new (App.with(database, durable, working, failing))()
    .enableWorking(async ({ signal }) => {
      events.push("begin");
      await untilAborted(signal);
      events.push("end");
    })
    .enableDurable({ pollMinMs: 5 })
    .enableDatabase({ url: file.url });
  await expect(app.start({ log })).rejects.toThrow("no port");
  expect(events).toEqual(["begin", "begin", "end", "end"]);
  const db = file.open();
  for (const table of ["framework_owners", "framework_lane_members"])
    expect(await db.fetchValue(`SELECT count(*) FROM ${table}`)).toBe(0);
  expect(await db.query("SELECT * FROM framework_leases WHERE owner IS NOT NULL")).toEqual([]);
});

test("an app stops even if its lanes ignore their signals, and the lanes are released to other processes", async () => {
  await using file = await sqliteFile();
  let runs = 0;
  const app = new WorkingApp()
    .enableWorking(() => (runs++, new Promise(() => {})))
    .enableDatabase({ url: file.url });
  await app.start({ log });
  await waitFor(() => runs === 2, { subject: "both lanes" });
  await app.stop({ timeoutSecs: 0.1 });
  expect(await file.open().query("SELECT * FROM framework_leases WHERE owner IS NOT NULL")).toEqual([]);
});

test("metrics count leases held, leases lost and stale writes, and the health check reports the last renewal", async () => {
  await using file = await sqliteFile();
  const lanes: Lane[] = [];
  const app = new WorkingApp()
    .enableWorking((lane) => (lanes.push(lane), untilAborted(lane.signal)))
    .enableDatabase({ url: file.url });
  await app.start({ log });
  await waitFor(() => lanes.length === 2, { subject: "both lanes" });
  const read = (name: string): unknown =>
    app.insight
      .metrics()
      .find((metric) => metric.name === name)
      ?.read();
  expect(read("durable_leases_held")).toBe(2);
  expect(read("durable_stale_writes_total")).toBe(0);
  const check = app.insight.healthChecks().find(({ name }) => name === "durable") as HealthCheck;
  expect(check.critical).toBe(false);
  expect(await check.run(new AbortController().signal)).toMatchObject({ sinceRenewalMs: expect.any(Number) });
  await app.db.execute("UPDATE framework_leases SET owner = 'another', fence = fence + 1");
  const [lane] = lanes;
  await expect(app.db.transaction((tx) => lane!.check(tx))).rejects.toMatchObject({
    code: "DURABLE_LEASE_LOST",
  });
  expect(read("durable_stale_writes_total")).toBe(1);
  expect(read("durable_leases_lost_total")).toBe(1);
  expect(lane!.signal.aborted).toBe(true);
  await app.stop();
});

test("an app in which no feature uses the kernel has none of its metrics and health checks", async () => {
  const app = new WorkingApp().enableDurable().enableDatabase({ url: "sqlite://:memory:" });
  await app.start({ log });
  expect(app.insight.metrics().filter(({ name }) => name.startsWith("durable"))).toEqual([]);
  expect(app.insight.healthChecks().map(({ name }) => name)).not.toContain("durable");
  await app.stop();
});
