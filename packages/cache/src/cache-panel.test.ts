import { App } from "@framework/core";
import { panelContract, panelProbe } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { caching } from "./caching.ts";

const start = async () => {
  const app = new (App.with(caching, panelProbe))().enableCaching();
  let calls = 0;
  app.get("/books", { cache: { tags: ["books"] } }, () => ++calls);
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  return { app, panel: app.panel("cache"), close: () => app.stop() };
};

panelContract(test, start);

test("the panel counts requests and entries, and drops replies by tag", async () => {
  const { app, panel } = await start();
  const get = async () => (await app.fetch(new Request("http://localhost/books"))).text();
  expect([await get(), await get()]).toEqual(["1", "1"]);
  const cells = Object.fromEntries((await panel.rows()).map((row) => [row.id, row.cells[1]]));
  expect(cells).toMatchObject({ MISS: 1, HIT: 1, entries: 1 });
  expect(await panel.act("drop", null, { tags: " books , authors" })).toBe("1 reply was dropped");
  expect(await get()).toBe("2");
  await expect(panel.act("drop", null, { tags: " , " })).rejects.toThrow("Give one or more tags");
  await app.stop();
});
