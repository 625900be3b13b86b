import { App } from "@framework/core";
import { databaseInFile } from "@framework/database/testing";
import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";
import { orderFacts } from "./order-facts.test-kit.ts";

orderFacts(test, databaseInFile);

/** Starts the service with background work off (`BOOKS_WORK=off`) and places an order, which therefore stays in `working`. */
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
  /** Waits until the statement counter changes between two polls (`running`) or does not (`idle`). */
  const waitForStatements = async (state: "running" | "idle"): Promise<void> => {
    let last = await statements();
    const isReached = async (): Promise<boolean> => {
      const before = last;
      last = await statements();
      return (last !== before) === (state === "running");
    };
    await waitFor(isReached, { timeoutMs: 25_000, intervalMs: 500 });
  };
  return { service, waitForStatements };
};

test("a request that waits for an order gets its status when the service stops", async () => {
  const { service, waitForStatements } = await startWithPendingOrder();
  const waiting = fetch(`${service.url}/orders/1?wait=30`);
  await waitForStatements("running");
  await service.close();
  const reply = await waiting;
  expect([reply.status, await reply.json()]).toEqual([
    200,
    { order: 1, status: "working", book: 1, copies: 1 },
  ]);
}, 120_000);

test("waiting for an order ends when the client disconnects", async () => {
  const { service, waitForStatements } = await startWithPendingOrder();
  const disconnect = new AbortController();
  const waiting = fetch(`${service.url}/orders/1?wait=30`, { signal: disconnect.signal });
  await waitForStatements("running");
  disconnect.abort();
  await expect(waiting).rejects.toThrow("aborted");
  await expect(waitForStatements("idle")).resolves.toBeUndefined();
  await service.close();
}, 120_000);

test("an order has the payment id that the payment service returned", async () => {
  const payments = new App();
  payments.post("/payments", () => ({ payment: "order:a:b" }));
  const run = { port: 0, logs: false, argv: [], exitOnError: false, workers: 1 } as const;
  const service = await payments.run(run);
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
