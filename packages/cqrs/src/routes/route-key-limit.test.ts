import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import { newLog } from "../counters.test-kit.ts";
import { cqrs } from "../index.ts";
import { MAX_ROUTE_KEYS } from "../limits.ts";

test("of requests that arrive at once, 10,000 hold their keys and the others get 503", async () => {
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  const total = MAX_ROUTE_KEYS + 2;
  const gate = Promise.withResolvers<void>();
  let [entered, refused] = [0, 0];
  const openGateAtEnd = (): void => {
    if (entered + refused === total) gate.resolve();
  };
  app.post("/orders", { idempotency: "required" }, async () => {
    entered++;
    openGateAtEnd();
    await gate.promise;
    return {};
  });
  await app.start({ log: newLog() });
  const send = async (key: string): Promise<void> => {
    const headers = { "idempotency-key": key };
    const { status } = await app.fetch(new Request("http://localhost/orders", { method: "POST", headers }));
    if (status !== 503) return;
    refused++;
    openGateAtEnd();
  };
  await Promise.all(Array.from({ length: total }, (_, at) => send(`k${at}`)));
  expect([entered, refused]).toEqual([MAX_ROUTE_KEYS, 2]);
  await app.stop();
});
