import { chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type FragileServer, startPostgres } from "@framework/services";
import { waitFor } from "@framework/testing";
import { openDatabase } from "./index.ts";
import { smallDisk } from "./small-disk.test-kit.ts";
import { hasReason, thingsService } from "./things-service.test-kit.ts";

let server: FragileServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

test("a service on PostgreSQL logs that its pool is exhausted, and logs a long wait and a slow statement separately", async () => {
  await using service = await thingsService({
    url: server.url,
    poolSize: 1,
    connectionTimeoutSecs: 2,
    slowQueryMs: 1000,
  });
  await service.send("POST", "/hold");
  expect(await service.send("POST", "/things")).toBe(503);
  const exhausted = "no connection became free in 2000 ms; all 1 of the pool are in use";
  await service.waitForLine(hasReason(exhausted));
  await service.send("POST", "/release");
  const wait = await service.waitForLine(
    ({ message }) => message === "waited long for a database connection",
  );
  expect(wait.waitedMs).toBeGreaterThanOrEqual(1000);
  expect(service.lines().filter(({ message }) => message === "slow query")).toEqual([]);

  expect(await service.send("GET", "/slow")).toBe(200);
  const slow = await service.waitForLine(({ message }) => message === "slow query");
  expect(slow.durationMs).toBeGreaterThanOrEqual(1000);
  expect(slow.waitedMs).toBeLessThan(1000);
});

test("a service on PostgreSQL logs that the server's disk is full, and writes again at once when there is space", async () => {
  using disk = smallDisk(2);
  if (disk === null) return console.warn("skipped: this process has no permission to mount a file system");
  const db = openDatabase({ url: server.url });
  await db.execute("DROP TABLE IF EXISTS things");
  const folder = join(disk.path, "tables");
  mkdirSync(folder);
  const { uid, gid } = statSync(String(await db.fetchValue("SHOW data_directory")));
  chownSync(folder, uid, gid);
  await db.execute(`CREATE TABLESPACE small LOCATION '${folder}'`);
  await db.execute("CREATE TABLE things (text TEXT) TABLESPACE small");
  await using service = await thingsService({ url: server.url });
  expect(await service.send("POST", "/things")).toBe(200);
  disk.fill();
  let status = 200;
  for (let tries = 0; status === 200 && tries < 100; tries++) status = await service.send("POST", "/things");
  expect(status).toBe(503);
  await service.waitForLine(hasReason(/^could not extend file .*No space left on device$/));
  disk.free();
  expect(await service.send("POST", "/things")).toBe(200);
  await db.execute("DROP TABLE things");
  await db.execute("DROP TABLESPACE small");
  await db.close();
});

test("a service on PostgreSQL logs that the server is dead, and writes once it is back", async () => {
  await using service = await thingsService({ url: server.url, connectionTimeoutSecs: 2 });
  expect(await service.send("POST", "/things")).toBe(200);
  await server.kill();
  const { port } = new URL(server.url);
  const refused = hasReason(`connect ECONNREFUSED 127.0.0.1:${port}`);
  // The first request may still use the old connection, and then fails for another reason.
  await waitFor(async () => {
    expect(await service.send("POST", "/things")).toBe(503);
    return service.lines().some(refused);
  });
  await server.start();
  expect(await service.send("POST", "/things")).toBe(200);
});
