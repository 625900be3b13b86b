import type { App, StandardSchema } from "@framework/core";
import { HttpError } from "@framework/core";
import { command, cqrs, type CqrsMethods, query, RequestTransaction } from "@framework/cqrs";
import { database, type DatabaseMethods } from "@framework/database";
import { durable, type DurableMethods } from "@framework/durable";
import { eventSourcing, type EventSourcing, eventType } from "@framework/event-sourcing";
import { jobs, type JobsMethods } from "@framework/jobs";
import { z } from "zod";

/** An app with all features for durable work. */
export type OperationsApp = App &
  DatabaseMethods &
  DurableMethods &
  EventSourcing &
  CqrsMethods &
  JobsMethods;

/** The features, each after its dependencies. */
export const operationFeatures = [database, durable, eventSourcing, cqrs, jobs] as const;

const order: StandardSchema<{ book: string }> = z.object({ book: z.string().max(10_000) });
const shelf: StandardSchema<{ count: number }> = z.object({ count: z.number() });

export const Ordered = eventType("Ordered", order);
export const Order = command("Order", {
  input: order,
  output: shelf,
  http: { path: "/orders", status: 201 },
});
export const Shelf = query("Shelf", { input: order, output: shelf, http: { path: "/shelves/{book}" } });

/** Returns the number of orders of a book. */
const countOf = async (db: Pick<OperationsApp["db"], "fetchValue">, book: string): Promise<number> =>
  (await db.fetchValue<number>`SELECT count(*) FROM orders WHERE book = ${book}`) ?? 0;

/** Enables the features, with a command, a query, a job and a route with an idempotency key. */
export const enableOperations = (app: OperationsApp): void => {
  app
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableDurable({ migrateAtStart: true })
    .enableEventSourcing({ events: [Ordered] })
    .enableCqrs();
  app.onEvent("startup", async () => void (await app.db.execute("CREATE TABLE orders (book TEXT NOT NULL)")));
  const notify = app.jobs.define("notify", { input: order }, () => {});
  app.cqrs
    .handle(Order, async ({ book }, { tx, events }) => {
      await tx.execute`INSERT INTO orders VALUES (${book})`;
      await events.append(`order-${book.slice(0, 20)}`, Ordered({ book }));
      await notify.enqueue({ book }, { tx });
      return { count: await countOf(tx, book) };
    })
    .handle(Shelf, async ({ book }, { db }) => {
      if (book === "none") throw new HttpError(404, "There is no such shelf");
      return { count: await countOf(db, book) };
    });
  app.post(
    "/returns",
    { idempotency: "required", inject: { tx: RequestTransaction } },
    async (_request, { tx }) => ({ left: await countOf(tx, "Emma") }),
  );
};
