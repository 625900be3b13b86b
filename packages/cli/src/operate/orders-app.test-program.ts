import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { saga, sagas } from "@framework/saga";
import { waitFor } from "@framework/testing";
import { z } from "zod";

const order = saga("order", 1, z.object({ book: z.string() }))
  .call("charge", () => {
    if (process.env["PAYMENTS"] === "down") throw new TypeError("payments is not a function");
    return "paid";
  })
  .build();

const compose = () => {
  const app = new (App.with(database, durable, sagas))()
    .enableDatabase({ url: `sqlite://${process.env["ORDERS_DATABASE"]}` })
    .enableSaga();
  app.saga.define(order);
  return app;
};

/** Creates the app; its saga pauses while `PAYMENTS` is `down`. */
export const createApp = (): App => compose();

if (import.meta.main) {
  const app = compose();
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const key = process.env["ORDER"] ?? "order-7";
  const isDown = process.env["PAYMENTS"] === "down";
  if (isDown) await app.saga.start(order, { book: "Emma" }, { key });
  const status = isDown ? "paused" : "completed";
  await waitFor(async () => (await app.saga.list({ status })).sagas.length === 1, { timeoutMs: 60_000 });
  await app.stop();
}
