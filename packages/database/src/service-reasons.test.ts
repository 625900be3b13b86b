import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { databaseInFile } from "./testing.ts";
import { hasReason, thingsService } from "./things-service.test-kit.ts";

test("a service on SQLite logs a long statement, and the reasons of 503 replies: the write mutex, and the lock of another process", async () => {
  await using file = databaseInFile();
  await using service = await thingsService({ url: file.url, connectionTimeoutSecs: 0.2, slowQueryMs: 100 });
  expect(await service.send("GET", "/slow")).toBe(200);
  const slow = await service.waitForLine(({ message }) => message === "slow query");
  expect(slow.durationMs).toBeGreaterThanOrEqual(100);
  expect(slow.waitedMs).toBe(0);

  await service.send("POST", "/hold");
  expect(await service.send("POST", "/things")).toBe(503);
  await service.waitForLine(
    hasReason(/^the writing connection did not become free in 200 ms; one transaction held it/),
  );
  await service.send("POST", "/release");

  using other = new DatabaseSync(file.url.slice("sqlite://".length));
  other.exec("BEGIN IMMEDIATE");
  expect(await service.send("POST", "/things")).toBe(503);
  await service.waitForLine(hasReason("another process holds the lock"));
  other.exec("COMMIT");
});

test("a service on SQLite logs a long wait for the write mutex on a separate line", async () => {
  await using file = databaseInFile();
  await using service = await thingsService({
    url: file.url,
    slowQueryMs: 1000,
    connectionTimeoutSecs: 60,
    synchronous: "normal",
  });
  await service.send("POST", "/hold");
  const waiting = service.send("POST", "/things");
  await service.waitForLine(({ message }) => message === "storing"); // a busy machine delays the request
  expect(await service.send("GET", "/things")).toBe(200);
  await pause(1200);
  await service.send("POST", "/release");
  expect(await waiting).toBe(200);
  const wait = await service.waitForLine(
    ({ message }) => message === "waited long for a database connection",
  );
  expect(wait.waitedMs).toBeGreaterThanOrEqual(1000);
  expect(service.lines().filter(({ message }) => message === "slow query")).toEqual([]);
});
