import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { saga, sagas } from "./index.ts";

const order = saga("order", 1, z.object({ book: z.string() }))
  .call("charge", () => "paid")
  .build();

test("operators' calls work on an app that is not started, but starting a saga fails", async () => {
  const url = `sqlite://${join(mkdtempSync(join(tmpdir(), "saga-")), "orders.db")}`;
  const app = new (App.with(database, durable, sagas))().enableDatabase({ url }).enableSaga();
  app.saga.define(order);
  await app.durable.migrate();
  expect(await app.saga.list()).toEqual({ sagas: [], next: null });
  expect(await app.saga.get("1")).toBeNull();
  expect(await app.saga.retry("1", { reason: "again" })).toBe(false);
  await expect(app.saga.start(order, { book: "Emma" }, { key: "1" })).rejects.toMatchObject({
    code: "CORE_NOT_STARTED",
  });
  await app.db.close();
});
