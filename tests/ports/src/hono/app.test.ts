import { once } from "node:events";
import { promisify } from "node:util";
import { serve } from "@hono/node-server";
import { expect, test } from "@jest/globals";
import { createApp } from "./app.ts";
import { differences } from "../contract/differences.ts";
import { API_KEY } from "../contract/exchanges.ts";
import { baseUrlOf } from "../contract/base-url-of.ts";

test("a book that was added is found", async () => {
  const app = createApp("key");
  const created = await app.request("/books", {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "key" },
    body: JSON.stringify({ title: "Emma" }),
  });
  expect(created.status).toBe(201);
  const { id } = (await created.json()) as { id: number };
  const found = await app.request(`/books/${id}`);
  expect(await found.json()).toMatchObject({ title: "Emma", author: "Unknown" });
});

test("the service meets the contract", async () => {
  const server = serve({ fetch: createApp(API_KEY).fetch, hostname: "127.0.0.1", port: 0 });
  await once(server, "listening");
  expect(await differences(baseUrlOf(server))).toEqual([]);
  await promisify(server.close.bind(server))();
});
