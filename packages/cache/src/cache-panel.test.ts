import { App } from "@framework/core";
import type { Feature, Panel } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { caching } from "./caching.ts";

/** Reads what features publish for the dev page. */
const probe: Feature<{ panelOf(name: string): Panel }> = {
  name: "probe",
  install: ({ insight }) => ({
    panelOf(name) {
      const panel = insight.panels().find((each) => each.name === name);
      if (panel === undefined) throw new Error(`there is no panel ${name}`);
      return panel;
    },
  }),
};

test("the panel counts requests and entries, and drops replies by tag", async () => {
  const app = new (App.with(caching, probe))().enableCaching();
  let calls = 0;
  app.get("/books", { cache: { tags: ["books"] } }, () => ++calls);
  const get = async () => (await app.fetch(new Request("http://localhost/books"))).text();
  expect([await get(), await get()]).toEqual(["1", "1"]);
  const panel = app.panelOf("cache");
  const cells = Object.fromEntries((await panel.read()).rows.map((row) => [row.id, row.cells[1]]));
  expect(cells).toMatchObject({ MISS: 1, HIT: 1, entries: 1 });
  const drop = panel.actions?.[0];
  expect(await drop?.run(null, { tags: " books , authors" })).toBe("1 reply was dropped");
  expect(await get()).toBe("2");
  await expect(drop?.run(null, { tags: " , " })).rejects.toThrow("Give one or more tags");
});
