// The app of the tests for keys of routes.
import { App, Response } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { database, type DatabaseMethods } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { durable, type DurableMethods } from "@framework/durable";
import type { TestClient, TestReply } from "@framework/testing";
import { z } from "zod";
import { cqrs, type CqrsConfig, type CqrsMethods } from "../index.ts";

export type Shop = App & DatabaseMethods & DurableMethods & CqrsMethods;

/** Adds routes to an app. The handler of POST /orders returns the result of `handle`, and counts its calls. */
export const newShop = (
  app: Shop,
  handle: (call: number, body: unknown) => unknown = (call) =>
    Response.json({ order: call }, { status: 201 }),
): { readonly app: Shop; readonly calls: () => number } => {
  let calls = 0;
  app.post(
    "/orders",
    { idempotency: "optional", body: z.object({ book: z.string() }) } as never,
    async (request) => handle(++calls, await request.json()),
  );
  app.post("/payments", { idempotency: "required" } as never, () => "paid");
  return { app, calls: () => calls };
};

/** An app on the database of a test, not started. */
export const shopAt = ({ url }: TestDatabase, config: ConfigInput<CqrsConfig> = {}): Shop =>
  new (App.with(database, durable, cqrs))()
    .enableDatabase({ url, poolSize: 3 })
    .enableDurable({ leaseMs: 1000 })
    .enableCqrs(config);

/** Orders a book, with or without a key. */
export const order = (
  client: TestClient,
  key: string | null,
  book = "Emma",
  headers: Readonly<Record<string, string>> = {},
): Promise<TestReply> =>
  client.post("/orders", {
    json: { book },
    headers: { ...headers, ...(key !== null && { "idempotency-key": key }) },
  });
