import { expect, test } from "@jest/globals";
import { testClient } from "@framework/testing";
import { createApp } from "./app.ts";
import { differences } from "../contract/differences.ts";
import { API_KEY } from "../contract/exchanges.ts";

test("a book that was added is found", async () => {
  await using client = testClient(createApp("key"));
  const created = await client.post("/books", { json: { title: "Emma" }, headers: { "x-api-key": "key" } });
  expect(created.status).toBe(201);
  const { id } = created.json<{ id: number }>();
  expect((await client.get(`/books/${id}`)).json()).toMatchObject({ title: "Emma", author: "Unknown" });
});

const serve = (apiKey: string) =>
  createApp(apiKey).run({ port: 0, argv: [], environment: {}, logs: false, exitOnError: false });

test("the service meets the contract", async () => {
  const running = await serve(API_KEY);
  expect(await differences(running.url)).toEqual([]);
  await running.close();
});

test("differences are reported for a service that violates the contract", async () => {
  const running = await serve("another-key");
  const [first, ...others] = await differences(running.url);
  expect(first).toMatch(/^a new book: status 401 instead of 201/);
  expect(others.length).toBeGreaterThan(10);
  await running.close();
});
