// An app with a route whose changes are not in the same transaction as its idempotency keys.
import { App } from "@framework/core";
import { database, type DatabaseMethods } from "@framework/database";
import { durable, type DurableMethods } from "@framework/durable";
import { cqrs, type CqrsMethods } from "../index.ts";

type Shop = App & DatabaseMethods & DurableMethods & CqrsMethods;

/** Creates the app. @param hangs whether orders named `hang-…` never return */
export const holdingApp = (url: string, hangs: boolean): Shop => {
  const app: Shop = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url, connectionTimeoutSecs: 60 })
    .enableDurable({ leaseMs: 5000, pollMinMs: 5, pollMaxMs: 50 })
    .enableCqrs();
  app.post("/orders", { idempotency: "required" }, async (request) => {
    const name = request.headers.get("idempotency-key") ?? "";
    await app.db.execute`INSERT INTO begun (name) VALUES (${name})`;
    if (hangs && name.startsWith("hang")) await new Promise(() => {});
    return "done";
  });
  return app;
};

/** Sends an order and returns the status of the reply. */
export const order = async (app: Shop, key: string): Promise<number> => {
  const request = new Request("http://test.local/orders", {
    method: "POST",
    headers: { "idempotency-key": key },
  });
  return (await app.fetch(request)).status;
};
