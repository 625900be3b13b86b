import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { smallDisk } from "./small-disk.test-kit.ts";
import { databaseInFile } from "./testing.ts";
import { hasReason, type ThingsService, thingsService } from "./things-service.test-kit.ts";

/** Fills the disk, expects twenty concurrent writes to be refused while reads work, and expects writes to work as soon as there is space. */
const expectFullAndFree = async (
  service: ThingsService,
  reason: string,
  fill: () => void,
  free: () => void,
): Promise<void> => {
  let stored = 0;
  const write = async (path = "/things"): Promise<number> => {
    const status = await service.send("POST", path);
    if (status === 200) stored++;
    return status;
  };
  expect(await write()).toBe(200);
  fill();
  for (let tries = 0; (await write()) === 200; tries++) expect(tries).toBeLessThan(100);
  const paths = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? "/things" : "/things/in-transaction"));
  const statuses = await Promise.all(paths.map(write));
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(await service.count()).toBe(stored);
  await service.waitForLine(hasReason(reason));
  free();
  expect(await write("/things/in-transaction")).toBe(200); // even the first write succeeds
  expect(await write()).toBe(200);
  expect(await service.count()).toBe(stored);
};

test("on a full disk a service refuses writes with the reason, still reads, and writes again at once when there is space", async () => {
  using disk = smallDisk(2);
  if (disk === null) return console.warn("skipped: this process has no permission to mount a file system");
  await using service = await thingsService({ url: `sqlite://${join(disk.path, "things.db")}` });
  const { fill, free } = disk;
  await expectFullAndFree(service, "database or disk is full", fill, free);
});

test("at the file size limit a service refuses writes with the reason, and writes again at once when the limit is raised", async () => {
  await using file = databaseInFile();
  await using service = await thingsService({ url: file.url });
  const limit = (bytes: number | "unlimited"): void =>
    void execFileSync("prlimit", ["--pid", String(service.program.pid), `--fsize=${bytes}:unlimited`]);
  await expectFullAndFree(
    service,
    "disk I/O error",
    () => limit(400_000),
    () => limit("unlimited"),
  );
});
