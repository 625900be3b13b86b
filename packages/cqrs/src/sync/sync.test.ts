import { App } from "@framework/core";
import { caching } from "@framework/cache";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { eventType } from "@framework/event-sourcing";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { newLog } from "../counters.test-kit.ts";
import { cqrs, query } from "../index.ts";
import { syncFacts } from "./sync.test-kit.ts";

syncFacts(test, databaseInFile);

const Happened = eventType("Happened", z.object({}));
const cached = (path?: string) =>
  query("Cached", {
    input: z.object({}),
    output: z.number(),
    cache: { invalidatedBy: [Happened] },
    ...(path !== undefined && { http: { path } }),
  });
const memory = { url: "sqlite://:memory:" };

test("replies of a query without cache are not cached", async () => {
  const app = new (App.with(database, durable, caching, cqrs))()
    .enableDatabase(memory)
    .enableCaching()
    .enableCqrs();
  let calls = 0;
  const Asked = query("Asked", { input: z.object({}), output: z.number(), http: { path: "/asked" } });
  app.cqrs.handle(Asked, () => ++calls);
  await using client = testClient(app);
  await client.get("/asked");
  expect((await client.get("/asked")).json()).toBe(2);
});

test("a query with cache is a start error without a cache feature, event store or endpoint", async () => {
  const app = new (App.with(database, durable, cqrs))().enableDatabase(memory).enableCqrs();
  app.cqrs.handle(cached("/cached"), () => 1);
  const failure = app.start({ log: newLog() });
  await expect(failure).rejects.toThrow("CQRS_NO_CACHE: query Cached has cache");
  await expect(failure).rejects.toThrow("CQRS_NO_EVENT_STORE: query Cached has cache.invalidatedBy");
  const other = new (App.with(database, durable, caching, cqrs))().enableDatabase(memory).enableCqrs();
  other.cqrs.handle(cached(), () => 1);
  await expect(other.start({ log: newLog() })).rejects.toThrow("cache stores the replies of an endpoint");
});

test("a cache composed after cqrs is a start error", async () => {
  const Asked = query("Asked", { input: z.object({}), output: z.number(), http: { path: "/asked" } });
  const app = new (App.with(database, durable, cqrs, caching))().enableDatabase(memory).enableCqrs();
  app.cqrs.handle(Asked, () => 1);
  app.enableCaching();
  await expect(app.start({ log: newLog() })).rejects.toThrow(
    "CQRS_NO_CACHE: query Asked has an endpoint whose replies the cache would store; name the feature caching before cqrs",
  );
});
