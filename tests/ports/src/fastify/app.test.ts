import { expect, test } from "@jest/globals";
import { createApp } from "./app.ts";
import { differences } from "../contract/differences.ts";
import { API_KEY } from "../contract/exchanges.ts";

test("a book that was added is found", async () => {
  const app = createApp("key");
  const created = await app.inject({
    method: "POST",
    url: "/books",
    headers: { "x-api-key": "key" },
    payload: { title: "Emma" },
  });
  expect(created.statusCode).toBe(201);
  const found = await app.inject(`/books/${created.json().id}`);
  expect(found.json()).toMatchObject({ title: "Emma", author: "Unknown" });
  await app.close();
});

test("the service meets the contract", async () => {
  const app = createApp(API_KEY);
  expect(await differences(await app.listen({ host: "127.0.0.1", port: 0 }))).toEqual([]);
  await app.close();
});
