// Tests of orders in one file, because they run on every database and runner.
import type { TestDatabase } from "@framework/database/testing";
import { socketClient, type TestClient } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import type { BooksApp } from "../books-app.ts";
import { booksSettings } from "../settings.ts";
import type { Order } from "./order.ts";

type Env = Readonly<Record<string, string>>;

/** Starts the service on a database with ten copies of a book, runs a test, and stops it. */
const serve = async (
  storage: TestDatabase,
  env: Env,
  fact: (client: TestClient, app: BooksApp) => Promise<void>,
): Promise<void> => {
  const common = {
    DATABASE_URL: storage.url,
    BOOKS_LOG: "silent",
    BOOKS_RATE: "1000000",
    BOOKS_DATABASE_SECS: "120",
    BOOKS_PAYMENT_DELAY_MS: "1",
  };
  const app = createBooksApp(booksSettings({ ...common, ...env }));
  await using client = socketClient(app);
  await client.post("/books", { json: { title: "Emma" } });
  expect((await client.put("/books/1/stock", { json: { copies: 10 } })).status).toBe(200);
  await fact(client, app);
};

const placeOrder = async (client: TestClient, number: number, card = "4000"): Promise<Order> => {
  const placed = await client.put(`/orders/${number}`, { json: { book: 1, copies: 2, card } });
  expect([placed.status, placed.json()]).toEqual([202, { order: number, isNew: true }]);
  return await getSettled(client, number);
};

/** Returns an order once it waits for the warehouse or has ended. */
const getSettled = async (client: TestClient, number: number): Promise<Order> =>
  (await client.get(`/orders/${number}`, { query: { wait: "30" } })).json<Order>();

/** Returns an order once it has left a status. */
const getAfter = async (client: TestClient, number: number, status: Order["status"]): Promise<Order> => {
  let last = await getSettled(client, number);
  for (const end = performance.now() + 60_000; last.status === status && performance.now() < end;)
    last = await getSettled(client, number);
  return last;
};

const copies = (app: BooksApp): Promise<number | null> =>
  app.db.fetchValue<number>`SELECT copies FROM stock WHERE book = 1`;

const payments = (app: BooksApp): Promise<readonly object[]> =>
  app.db.query<{ state: string; attempts: number }>`SELECT state, attempts FROM demo_payments`;

/** Declares the tests of orders. @param envOf returns settings of the runner, for each test */
export const orderFacts = (
  test: typeof jestTest,
  make: () => TestDatabase | Promise<TestDatabase>,
  envOf: () => Env = () => ({}),
): void => {
  const fact = (
    name: string,
    run: (client: TestClient, app: BooksApp) => Promise<void>,
    own: Env = {},
  ): void =>
    test(
      name,
      async () => {
        await using storage = await make();
        await serve(storage, { ...envOf(), ...own }, run);
      },
      180_000,
    );

  fact(
    "an order is reserved, paid and shipped, and a repeated request creates no second order",
    async (client, app) => {
      expect(await placeOrder(client, 1)).toEqual({
        order: 1,
        status: "packing",
        book: 1,
        copies: 2,
        payment: expect.stringMatching(/:charge$/), // the demo payment service returns the idempotency key
      });
      const again = await client.put("/orders/1", { json: { book: 1, copies: 2, card: "4000" } });
      expect(again.json()).toEqual({ order: 1, isNew: false });
      const sent = await client.post("/orders/1/shipment", { json: { parcel: "P-7" } });
      expect(sent.status).toBe(202);
      expect(await getAfter(client, 1, "packing")).toMatchObject({ status: "shipped", parcel: "P-7" });
      expect([await copies(app), await payments(app)]).toEqual([8, [{ state: "paid", attempts: 1 }]]);
      expect((await client.post("/orders/1/shipment", { json: { parcel: "P-8" } })).status).toBe(409);
    },
  );

  fact("a parcel number that no database can store gets 422, and opens no circuit", async (client) => {
    await placeOrder(client, 1);
    for (const parcel of ["\0", "\ud800", "\0", "\ud800", "\0", "\ud800"])
      expect((await client.post("/orders/1/shipment", { json: { parcel } })).status).toBe(422);
    expect((await client.post("/orders/1/shipment", { json: { parcel: "P-7" } })).status).toBe(202);
  });

  fact("an order of more copies than are in stock is refused, and nothing is paid", async (client, app) => {
    await client.put("/books/1/stock", { json: { copies: 1 } });
    expect(await placeOrder(client, 1)).toMatchObject({
      status: "cancelled",
      reason: "There are not enough copies",
    });
    expect([await copies(app), await payments(app)]).toEqual([1, []]);
  });

  fact("a deleted or unknown book can be neither stocked nor ordered", async (client, app) => {
    await client.delete("/books/1");
    for (const book of [1, 70]) {
      const stocked = await client.put(`/books/${book}/stock`, { json: { copies: 5 } });
      expect([stocked.status, stocked.json()]).toMatchObject([404, { detail: "Book not found" }]);
    }
    expect(await placeOrder(client, 1)).toMatchObject({ status: "cancelled" });
    expect(await payments(app)).toEqual([]);
  });

  fact("when the card is refused, the reserved copies are released", async (client, app) => {
    expect(await placeOrder(client, 1, "refused")).toMatchObject({
      status: "cancelled",
      reason: "The card was refused",
    });
    expect(await copies(app)).toBe(10);
  });

  fact("a payment that fails temporarily is retried, and the order is paid once", async (client, app) => {
    expect(await placeOrder(client, 1, "busy")).toMatchObject({ status: "packing" });
    expect([await copies(app), await payments(app)]).toEqual([8, [{ state: "paid", attempts: 2 }]]);
  });

  fact(
    "when the payment service stays unavailable, the order is cancelled after four attempts",
    async (client, app) => {
      expect(await placeOrder(client, 1, "down")).toMatchObject({
        status: "cancelled",
        reason: "The order could not be completed",
      });
      expect([await copies(app), await payments(app)]).toEqual([10, [{ state: "refunded", attempts: 4 }]]);
    },
  );

  fact("the invalid reply of a payment service reaches no client", async (client, app) => {
    const { status, reason } = await placeOrder(client, 1, "garbled");
    expect([status, reason]).toEqual(["attention", undefined]);
    const { sagas } = await app.saga.list({ name: "order", key: "1" });
    expect(sagas[0]?.error?.message).toContain("paid, more or less");
    await app.saga.retry(sagas[0]?.id ?? "", { reason: "asked the bank" });
    expect(await getAfter(client, 1, "attention")).toEqual({
      order: 1,
      status: "packing",
      book: 1,
      copies: 2,
      payment: expect.any(String),
    });
  });

  fact(
    "an order that the warehouse does not ship in time is refunded, and its copies are released",
    async (client, app) => {
      await placeOrder(client, 1);
      expect(await getAfter(client, 1, "packing")).toMatchObject({
        status: "cancelled",
        reason: "The order could not be completed",
      });
      expect([await copies(app), await payments(app)]).toEqual([10, [{ state: "refunded", attempts: 1 }]]);
    },
    { BOOKS_SHIP_SECS: "0.05" },
  );
};
