import { App } from "@framework/core";
import { panelContract, panelProbe } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { circuitBreaker } from "./circuit-breaker.ts";

const startApp = async () => {
  const app = new (App.with(circuitBreaker, panelProbe))().enableCircuitBreaker({ resetTimeout: 10 });
  app.get("/books", () => "hello");
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  return { app, panel: app.panel("circuits"), close: () => app.stop() };
};

panelContract(test, startApp);

test("the panel shows each circuit, and opens and closes it", async () => {
  const { app, panel } = await startApp();
  expect(await panel.rows()).toEqual([
    { id: "GET /books", cells: ["GET /books", "closed", 0, 0], actions: ["trip"] },
  ]);
  await panel.act("trip", "GET /books");
  expect((await app.fetch(new Request("http://localhost/books"))).status).toBe(503);
  expect(await panel.rows()).toMatchObject([{ cells: ["GET /books", "open", 0, 10], actions: ["reset"] }]);
  await panel.act("reset", "GET /books");
  expect((await app.fetch(new Request("http://localhost/books"))).status).toBe(200);
  await expect(panel.act("trip", "GET /nowhere")).rejects.toMatchObject({ code: "BREAKER_UNKNOWN_CIRCUIT" });
  await app.stop();
});
