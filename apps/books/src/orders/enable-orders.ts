import { join } from "node:path";
import type { HttpMiddleware } from "@framework/core";
import { type Database, migrate } from "@framework/database";
import { dbosRunner } from "@framework/saga-dbos";
import type { BooksApp } from "../books-app.ts";
import type { BooksSettings } from "../settings.ts";
import { demoPayments } from "./demo-payments.ts";
import { orderSaga } from "./order-saga.ts";
import { Orders } from "./orders.ts";
import { httpPayments, Payments } from "./payments.ts";
import { orderRoutes } from "./routes.ts";

/** Adds orders: the sagas on the runner in the settings, the payment service, and the routes. */
export const enableOrders = (
  app: BooksApp,
  settings: BooksSettings,
  protection: readonly HttpMiddleware[],
): void => {
  const { sagaRunner, databaseUrl: url, dbosSchema: schema, work, shipSecs, paymentDelayMs } = settings;
  const runner = sagaRunner === "dbos" ? dbosRunner({ url, schema, name: "books" }) : undefined;
  app.enableSaga({
    runner,
    workers: work === "on",
    prepareTimeMachine: createStockedShop,
  });
  app.registerSingleton(Payments, paymentsOf(app, settings));
  const definition = orderSaga({ shipMs: shipSecs * 1000, paymentDelayMs });
  app.saga.define(definition);
  for (const routes of orderRoutes(new Orders(app.saga, definition), app.db, protection))
    app.registerBlueprint(routes);
};

/** Creates the tables of the service, with ten copies of the first book. */
const createStockedShop = async (db: Database): Promise<void> => {
  await migrate(db, { directory: join(import.meta.dirname, "../../migrations") });
  await db.execute`INSERT INTO books (id, title, author, genre, genre_key) VALUES (1, 'Emma', 'Jane Austen', 'Novel', 'novel')`;
  await db.execute`INSERT INTO stock (book, copies) VALUES (1, 10)`;
};

/** The service at `BOOKS_PAYMENTS`, or the demo in this process. */
const paymentsOf = (app: BooksApp, { paymentsUrl }: BooksSettings): Payments => {
  if (paymentsUrl !== undefined) return httpPayments(paymentsUrl, (request) => fetch(request));
  const demo = demoPayments(app.db);
  return httpPayments("http://localhost/payments", async (request) => await demo.fetch(request));
};
