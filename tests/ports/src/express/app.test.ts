import { once } from "node:events";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import request from "supertest";
import { createApp } from "./app.ts";
import { differences } from "../contract/differences.ts";
import { API_KEY } from "../contract/exchanges.ts";
import { baseUrlOf } from "../contract/base-url-of.ts";

test("a book that was added is found", async () => {
  const app = createApp("key");
  const created = await request(app).post("/books").set("X-API-Key", "key").send({ title: "Emma" });
  expect(created.status).toBe(201);
  const found = await request(app).get(`/books/${created.body.id}`);
  expect(found.body).toMatchObject({ title: "Emma", author: "Unknown" });
});

test("the service meets the contract", async () => {
  const server = createApp(API_KEY).listen(0, "127.0.0.1");
  await once(server, "listening");
  expect(await differences(baseUrlOf(server))).toEqual([]);
  await promisify(server.close.bind(server))();
});
