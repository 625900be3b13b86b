import { App } from "@framework/core";
import { panelContract, panelProbe } from "@framework/core/testing";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { eventSourcing } from "../index.ts";
import { Borrowed, loanTypes } from "../loan.test-kit.ts";
import { POISON, shelf } from "./shelf.test-kit.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** Starts an app with a live version of a view, and a second version with `autoLive: false`. */
const startApp = async () => {
  const app = new (App.with(database, durable, eventSourcing, panelProbe))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableDurable({ pollMinMs: 5, pollMaxMs: 50 })
    .enableEventSourcing({
      events: [...loanTypes],
      projections: [shelf({ onError: "stop" }), shelf({ version: 2, autoLive: false, onError: "stop" })],
    });
  await app.start({ log: quiet });
  const panel = app.panel("projections");
  const state = async () =>
    (await panel.rows()).map(({ cells, actions }) => [cells[0], cells[1], ...(actions ?? [])]);
  return { app, panel, state, close: () => app.stop() };
};

panelContract(test, startApp);

test("the panel cancels a build, restarts it and makes it live", async () => {
  const { app, panel, state, close } = await startApp();
  await app.eventStore.append("loan-1", Borrowed({ member: "ann" }));
  expect(await state()).toEqual([
    ["shelf version 1", "live"],
    ["shelf version 2", "building", "cancel", "go-live"],
  ]);
  expect(await panel.act("cancel", "shelf 2")).toContain("cancelled");
  expect((await state())[1]).toEqual(["shelf version 2", "cancelled", "rebuild"]);
  await expect(panel.act("cancel", "shelf 2")).rejects.toThrow("has changed in the meantime");
  expect(await panel.act("rebuild", "shelf 2")).toContain("built again");
  await waitFor(async () => (await panel.rows())[1]?.cells[3] === "100 %", {
    subject: "the build of version 2",
    timeoutMs: 60_000,
  });
  expect(await panel.act("go-live", "shelf 2")).toBe("The version is live");
  expect(await state()).toEqual([
    ["shelf version 1", "retired"],
    ["shelf version 2", "live"],
  ]);
  await close();
});

test("the panel shows the error of a stopped version, and resumes it", async () => {
  const { app, panel, close } = await startApp();
  await app.eventStore.append("loan-1", Borrowed({ member: POISON }));
  await waitFor(async () => (await panel.rows())[0]?.actions?.includes("resume"), {
    subject: "the stop",
    timeoutMs: 60_000,
  });
  expect((await panel.rows())[0]?.cells.at(-1)).toContain("poison");
  expect(await panel.act("resume", "shelf 1")).toBe("1 shard runs again");
  await close();
});

test("an action applies to the version of its row", async () => {
  const versions = [1, 2, 3].map((version) => shelf({ version, autoLive: false }));
  const app = new (App.with(database, durable, eventSourcing, panelProbe))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableEventSourcing({ events: [...loanTypes], projections: versions });
  await app.start({ log: quiet });
  const panel = app.panel("projections");
  const states = async () => (await panel.rows()).map(({ cells }) => cells[1]);
  await panel.act("cancel", "shelf 2");
  expect(await states()).toEqual(["live", "cancelled", "building"]);
  await panel.act("rebuild", "shelf 2");
  expect(await states()).toEqual(["live", "building", "building"]);
  await waitFor(
    async () => (await panel.act("go-live", "shelf 2").catch(() => "")) === "The version is live",
    {
      subject: "the build of version 2",
      timeoutMs: 60_000,
    },
  );
  expect(await states()).toEqual(["retired", "live", "building"]);
  await app.stop();
});
