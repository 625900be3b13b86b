import { App } from "@framework/core";
import { databaseInFile } from "@framework/database/testing";
import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";
import { orderFacts } from "./order-facts.test-kit.ts";

orderFacts(test, databaseInFile);

/** Runs the service without workers, with an order that stays unfinished. */
const startWithPendingOrder = async () => {
  const app = createBooksApp(
    booksSettings({ DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent", BOOKS_WORK: "off" }),
  );
  const service = await app.run({
    port: 0,
    logs: false,
    argv: [],
    exitOnError: false,
    workers: 1,
    cluster: { shutdownTimeoutSecs: 20 },
  });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ book: 1, card: "4000" });
  const placed = await fetch(`${service.url}/orders/1`, { method: "PUT", headers, body });
  expect(placed.status).toBe(202);
  const statements = async (): Promise<string | undefined> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return /^framework_database_statements_total\S* (\d+)$/m.exec(text)?.[1];
  };
  /** Waits until statements run, or until none run. */
  const untilBusy = async (isBusy: boolean): Promise<void> => {
    let last = await statements();
    const hasChanged = async (): Promise<boolean> => {
      const before = last;
      last = await statements();
      return (last !== before) === isBusy;
    };
    await waitFor(hasChanged, { timeoutMs: 25_000, intervalMs: 500 });
  };
  return { service, untilBusy };
};

test("a request that waits for an order gets its status when the service stops", async () => {
  const { service, untilBusy } = await startWithPendingOrder();
  const waiting = fetch(`${service.url}/orders/1?wait=30`);
  await untilBusy(true);
  await service.close();
  const reply = await waiting;
  expect([reply.status, await reply.json()]).toEqual([
    200,
    { order: 1, status: "working", book: 1, copies: 1 },
  ]);
}, 120_000);

test("waiting for an order ends when the client disconnects", async () => {
  const { service, untilBusy } = await startWithPendingOrder();
  const disconnect = new AbortController();
  const waiting = fetch(`${service.url}/orders/1?wait=30`, { signal: disconnect.signal });
  await untilBusy(true);
  disconnect.abort();
  await expect(waiting).rejects.toThrow("aborted");
  await expect(untilBusy(false)).resolves.toBeUndefined();
  await service.close();
}, 120_000);

test("an order has the payment id that the payment service returned", async () => {
  const shop = new App();
  shop.post("/payments", () => ({ payment: "order:a:b" }));
  const run = { port: 0, logs: false, argv: [], exitOnError: false, workers: 1 } as const;
  const service = await shop.run(run);
  const env = { DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent" };
  {
    await using client = socketClient(
      createBooksApp(booksSettings({ ...env, BOOKS_PAYMENTS: `${service.url}/payments` })),
    );
    await client.post("/books", { json: { title: "Emma" } });
    await client.put("/books/1/stock", { json: { copies: 1 } });
    await client.put("/orders/1", { json: { book: 1, card: "4000" } });
    const reply = await client.get("/orders/1?wait=30");
    expect(reply.json()).toMatchObject({ status: "packing", payment: "order:a:b" });
  }
  await service.close();
}, 120_000);
