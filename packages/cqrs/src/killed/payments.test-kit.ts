// An app that makes payments by a command, a queued command and a route, each with an idempotency key.
import { App } from "@framework/core";
import { database, type DatabaseMethods, type Queries } from "@framework/database";
import { durable, type DurableMethods } from "@framework/durable";
import { z } from "zod";
import { newLog } from "../counters.test-kit.ts";
import { command, cqrs, type CqrsMethods, RequestTransaction } from "../index.ts";

const payment = z.object({ key: z.string() });
const total = z.object({ total: z.number() });

const Pay = command("Pay", {
  input: payment,
  output: total,
  key: ({ key }) => key.slice(0, 4),
  idempotency: "required",
});
const PayLater = command("PayLater", { input: payment, output: total, mode: "queued" });

/** Ways to make a payment. */
export const ways = ["command", "queued", "route"] as const;
export type Way = (typeof ways)[number];

/** Returns the way of a payment: the prefix of its key. */
export const wayOf = (key: string): Way => ways.find((way) => key.startsWith(way)) ?? "command";

export type Payments = App & DatabaseMethods & DurableMethods & CqrsMethods;

const TABLES = `
  CREATE TABLE payments (key TEXT NOT NULL);
  CREATE TABLE totals (way TEXT PRIMARY KEY, total INTEGER NOT NULL);`;

/** Makes a payment: inserts a row, and increments the total of its way. */
const make = async (tx: Queries, key: string): Promise<{ total: number }> => {
  await tx.execute`INSERT INTO payments (key) VALUES (${key})`;
  const total = await tx.fetchValue<number>`INSERT INTO totals (way, total) VALUES (${wayOf(key)}, 1)
    ON CONFLICT (way) DO UPDATE SET total = totals.total + 1 RETURNING total`;
  return { total: total ?? 0 };
};

/** Creates the app. @param leaseMs time after which queued commands of a disconnected process are taken over. @default 15000 */
export const paymentsApp = (url: string, leaseMs = 15_000): Payments => {
  const app: Payments = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url, connectionTimeoutSecs: 60 })
    .enableDurable({ leaseMs, pollMinMs: 5, pollMaxMs: 50 })
    .enableCqrs({ commandTimeoutMs: 60_000 });
  app.cqrs
    .handle(Pay, ({ key }, { tx }) => make(tx, key))
    .handle(PayLater, ({ key }, { tx }) => make(tx, key));
  app.post(
    "/payments",
    { idempotency: "required", inject: { tx: RequestTransaction } },
    async (request, { tx }) => make(tx, (await request.json<{ key: string }>()).key),
  );
  return app;
};

/** Starts an app with new tables. */
export const openPayments = async (
  url: string,
  leaseMs?: number,
): Promise<{ readonly app: Payments } & AsyncDisposable> => {
  const app = paymentsApp(url, leaseMs);
  app.onEvent("startup", () => app.db.transaction((tx) => tx.script(TABLES)));
  await app.start({ log: newLog() });
  return { app, [Symbol.asyncDispose]: () => app.stop() };
};

/** Makes the payment with a key, and returns the acknowledgement. @throws if it is not acknowledged */
export const pay = async (app: Payments, key: string): Promise<string> => {
  switch (wayOf(key)) {
    case "command":
      return JSON.stringify((await app.cqrs.execute(Pay, { key }, { idempotencyKey: key })).value);
    case "queued":
      return (await app.cqrs.enqueue(PayLater, { key }, { idempotencyKey: key })).id;
    case "route": {
      const headers = { "content-type": "application/json", "idempotency-key": key };
      const body = JSON.stringify({ key });
      const reply = await app.fetch(
        new Request("http://test.local/payments", { method: "POST", headers, body }),
      );
      if (reply.status !== 200) throw new Error(`the reply is ${reply.status}`);
      return await reply.text();
    }
  }
};
