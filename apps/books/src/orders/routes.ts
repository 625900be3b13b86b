import { Blueprint, HttpError, type HttpMiddleware, NotFoundError, Response } from "@framework/core";
import type { Database } from "@framework/database";
import { z } from "zod";
import type { BooksApp } from "../books-app.ts";
import { wholeNumber } from "../fields.ts";
import { NewOrder, Order, OrderNumber, Shipment } from "./order.ts";
import type { Orders } from "./orders.ts";

const params = z.object({ id: OrderNumber });
const MAX_WAIT_SECS = 30;

/** Routes of orders. @param protection middleware of the routes that write */
export const orderRoutes = (
  orders: Orders,
  db: Database,
  protection: readonly HttpMiddleware[],
): readonly Blueprint<string, BooksApp>[] => {
  const reading: Blueprint<string, BooksApp> = new Blueprint("/orders", { tags: ["orders"] });
  const writing: Blueprint<string, BooksApp> = new Blueprint("", { tags: ["orders"] });
  for (const middleware of protection) writing.use(middleware);

  reading.get(
    "/{id}",
    {
      summary: "Get an order",
      description:
        "With `wait`, the reply is sent when the order waits for the warehouse or has ended, after that number of seconds at the latest, or when the service stops.",
      params,
      query: z.object({ wait: wholeNumber(/^\d{1,2}$/).optional() }),
      responses: { 200: Order },
      errors: [404],
      cache: false,
    },
    async ({ input: { params, query }, signal, draining }) => {
      const waitMs = Math.min(query.wait ?? 0, MAX_WAIT_SECS) * 1000;
      const found = await orders.get(params.id, waitMs, AbortSignal.any([signal, draining]));
      if (found === null) throw new NotFoundError("There is no such order");
      return found;
    },
  );

  writing.put(
    "/orders/{id}",
    {
      summary: "Order a book",
      description: "The number identifies the order: a client that got no reply can repeat the request.",
      params,
      body: NewOrder,
    },
    async ({ input: { params, body } }) => {
      const isNew = await orders.place(params.id, body);
      return Response.json({ order: params.id, isNew }, { status: 202 });
    },
  );

  writing.post(
    "/orders/{id}/shipment",
    { summary: "Mark an order as shipped", params, body: Shipment, errors: [409] },
    async ({ input: { params, body } }) => {
      if (!(await orders.ship(params.id, body.parcel)))
        throw new HttpError(409, "The order does not expect a shipment");
      return Response.json({ order: params.id }, { status: 202 });
    },
  );

  writing.put(
    "/books/{id}/stock",
    {
      summary: "Set the number of copies for sale",
      params,
      body: z.object({ copies: z.int().min(0).max(1e9) }),
      errors: [404],
    },
    async ({ input: { params, body } }) => {
      const { changes } = await db.execute`INSERT INTO stock (book, copies)
        SELECT id, CAST(${body.copies} AS BIGINT) FROM books WHERE id = ${params.id}
        ON CONFLICT (book) DO UPDATE SET copies = excluded.copies`;
      if (changes === 0) throw new NotFoundError("Book not found");
      return { book: params.id, copies: body.copies };
    },
  );
  return [reading, writing];
};
