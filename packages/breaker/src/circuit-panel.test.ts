import { App } from "@framework/core";
import type { Feature, Panel } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { circuitBreaker } from "./circuit-breaker.ts";

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

test("the panel shows each circuit, and opens and closes it", async () => {
  const app = new (App.with(circuitBreaker, probe))().enableCircuitBreaker({ resetTimeout: 10 });
  app.get("/books", () => "hello");
  await app.start();
  const panel = app.panelOf("circuits");
  const rows = async () => (await panel.read()).rows;
  expect(await rows()).toEqual([
    { id: "GET /books", cells: ["GET /books", "closed", 0, 0], actions: ["trip"] },
  ]);
  const act = (name: string) => panel.actions?.find((action) => action.name === name)?.run("GET /books", {});
  await act("trip");
  expect((await app.fetch(new Request("http://localhost/books"))).status).toBe(503);
  expect(await rows()).toMatchObject([{ cells: ["GET /books", "open", 0, 10], actions: ["reset"] }]);
  await act("reset");
  expect((await app.fetch(new Request("http://localhost/books"))).status).toBe(200);
  await expect(panel.actions?.[0]?.run("GET /nowhere", {})).rejects.toMatchObject({
    code: "BREAKER_UNKNOWN_CIRCUIT",
  });
});
