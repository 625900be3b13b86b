import { App } from "@framework/core";
import { panelContract, panelProbe } from "@framework/core/testing";
import { database, type Database } from "@framework/database";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { saga, sagas } from "../index.ts";

const startApp = async (prepareTimeMachine?: (db: Database) => Promise<unknown>) => {
  const calls: string[] = [];
  const state = { isBroken: true };
  const order = saga("order", 1)
    .call("reserve", () => void calls.push("reserve"), { undo: () => void calls.push("undo reserve") })
    .call(
      "charge",
      () => {
        calls.push("charge");
        if (state.isBroken) throw new TypeError("a bug");
      },
      { undo: () => void calls.push("undo charge") },
    )
    .build();
  const app = new (App.with(database, durable, sagas, panelProbe))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableDurable({ pollMinMs: 5, pollMaxMs: 50 })
    .enableSaga(prepareTimeMachine === undefined ? {} : { prepareTimeMachine });
  app.saga.define(order);
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const act = (panel: string, action: string, row: string, texts: Readonly<Record<string, string>> = {}) =>
    app.panel(panel).act(action, row, texts);
  const rows = (panel: string) => app.panel(panel).rows();
  return { app, order, calls, state, act, rows };
};

panelContract(test, async () => {
  const { app, order, rows } = await startApp();
  await app.saga.start(order, {}, { key: "order-7" });
  await waitFor(async () => (await rows("sagas"))[0]?.cells[2] === "paused", {
    subject: "the pause",
    timeoutMs: 60_000,
  });
  return { panel: app.panel("sagas"), close: () => app.stop() };
});

panelContract(test, async () => {
  const { app, act } = await startApp();
  await act("time-machine", "start", "order version 1", { input: "{}" });
  await act("time-machine", "run", "order version 1", { crashAfter: "1" });
  return { panel: app.panel("time-machine"), close: () => app.stop() };
});

test("sagas are shown with their timeline; a paused saga is retried with a reason", async () => {
  const { app, order, state, act, rows } = await startApp();
  const { id } = await app.saga.start(order, { card: "canary" }, { key: "order-7" });
  await waitFor(async () => (await rows("sagas"))[0]?.cells[2] === "paused", {
    subject: "the pause",
    timeoutMs: 60_000,
  });
  const [paused] = await rows("sagas");
  expect(paused).toMatchObject({
    id,
    cells: ["order version 1", "order-7", "paused", 2, null, expect.any(String), "a bug"],
    actions: ["retry", "skip", "settle", "cancel"],
  });
  const details = await app.panel("sagas").details?.(id);
  expect(details?.map(({ title }) => title)).toEqual(["Timeline", "Started steps"]);
  expect(details?.[0]?.rows.at(-1)?.cells.slice(1)).toEqual(["pause", "charge", "paused", null]);
  expect(details?.[1]?.rows.map(({ cells }) => cells.slice(0, 3))).toEqual([
    ["reserve", "done", 1],
    ["charge", expect.any(String), 1],
  ]);
  expect(JSON.stringify(details)).not.toContain("canary");
  state.isBroken = false;
  await act("sagas", "retry", id, { reason: "the bug is fixed" });
  await waitFor(async () => (await rows("sagas"))[0]?.cells[2] === "completed", {
    subject: "the end",
    timeoutMs: 60_000,
  });
  expect((await rows("sagas"))[0]?.actions).toEqual([]);
  const after = await app.panel("sagas").details?.(id);
  expect(JSON.stringify(after?.[0])).toContain("the bug is fixed");
  await expect(act("sagas", "retry", id, { reason: "again" })).rejects.toMatchObject({ status: 409 });
  await expect(act("sagas", "skip", "0-0", { reason: "none" })).rejects.toThrow("There is no such saga");
  await app.stop();
});

test("the panel of sagas notes that it shows only the 100 that changed most recently", async () => {
  const { app, order } = await startApp();
  const start = (at: number) => app.saga.start(order, {}, { key: `order-${at}` });
  for (let at = 1; at <= 100; at++) await start(at);
  expect(await app.panel("sagas").read()).not.toHaveProperty("note");
  await start(101);
  const { note, rows } = await app.panel("sagas").read();
  expect([note, rows.length]).toEqual(["The 100 most recently changed of 101 instances", 100]);
  await app.stop();
});

test("skip and settle complete a paused saga, and cancel undoes it", async () => {
  for (const [verb, undone, end] of [
    ["skip", [], "completed"],
    ["settle", [], "completed"],
    ["cancel", ["undo charge", "undo reserve"], "compensated"],
  ] as const) {
    const { app, order, calls, act, rows } = await startApp();
    const { id } = await app.saga.start(order, {}, { key: verb });
    const status = async () => (await rows("sagas"))[0]?.cells[2];
    await waitFor(async () => (await status()) === "paused", { subject: "the pause", timeoutMs: 60_000 });
    await act("sagas", verb, id, { reason: "by hand" });
    await waitFor(async () => (await status()) === end, { subject: end, timeoutMs: 60_000 });
    expect([verb, calls.filter((call) => call.startsWith("undo"))]).toEqual([verb, undone]);
    await app.stop();
  }
});

test("concurrent starts of one saga leave no time machine open", async () => {
  const dbs: Database[] = [];
  const { app, act } = await startApp(async (db) => void dbs.push(db));
  const start = () => act("time-machine", "start", "order version 1", { input: "{}" });
  await Promise.all([start(), start()]);
  await app.stop();
  expect(dbs).toHaveLength(2);
  for (const db of dbs) await expect(db.query("SELECT 1")).rejects.toMatchObject({ code: "DATABASE_CLOSED" });
});

test("the time machine simulates a lost worker, shows the undo plan, resumes and replays, without using the app's store", async () => {
  const { app, calls, state, act, rows } = await startApp();
  state.isBroken = false;
  const row = "order version 1";
  expect(await rows("time-machine")).toEqual([
    { id: row, cells: [row, "not started", null, null, null], actions: ["start"] },
  ]);
  await expect(act("time-machine", "run", row)).rejects.toThrow("Start the saga first");
  await expect(act("time-machine", "start", row, { input: "{" })).rejects.toThrow("not valid JSON");
  await act("time-machine", "start", row, { input: '{"book":"Emma"}' });
  expect(await act("time-machine", "run", row, { crashAfter: "2" })).toContain("The worker was lost");
  expect(calls).toEqual(["reserve", "charge"]);
  expect((await rows("time-machine"))[0]?.cells).toEqual([row, "running", 2, 1, "charge, reserve"]);
  const details = await app.panel("time-machine").details?.(row);
  expect(details?.[0]).toMatchObject({
    title: "Compensation plan",
    rows: [{ cells: ["charge"] }, { cells: ["reserve"] }],
  });
  await expect(act("time-machine", "run", row, { crashAfter: "0" })).rejects.toThrow("whole number");
  expect(await act("time-machine", "run", row)).toBe("Nothing more is due");
  expect((await rows("time-machine"))[0]?.cells.slice(0, 2)).toEqual([row, "completed"]);
  expect(calls).toEqual(["reserve", "charge", "charge"]);
  await act("time-machine", "replay", row);
  expect((await rows("time-machine"))[0]?.cells.slice(1, 4)).toEqual(["ready", 1, 0]);
  await act("time-machine", "run", row, { crashAfter: "1" });
  await act("time-machine", "cancel", row);
  await act("time-machine", "run", row);
  expect((await rows("time-machine"))[0]?.cells[1]).toBe("compensated");
  expect(calls.at(-1)).toBe("undo reserve");
  await act("time-machine", "end", row);
  expect((await rows("time-machine"))[0]?.cells[1]).toBe("not started");
  expect(await rows("sagas")).toEqual([]);
  await app.stop();
});
