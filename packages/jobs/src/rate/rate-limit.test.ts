import { openDatabase } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { tableClock } from "@framework/durable/testing";
import { expect, test } from "@jest/globals";
import { quiet } from "../testing/job-app.test-kit.ts";
import { rateLimit } from "./rate-limit.ts";
import { RATE_TABLES, rateTables } from "./rate-tables.ts";

test("a process that dies after it took permits, or before it gives them back, wastes them until the period ends", async () => {
  await using place = databaseInFile();
  const db = openDatabase({ url: place.url });
  const time = await tableClock(db, Date.parse("2026-05-01T00:00Z"));
  await using kernel = createKernel(db, { now: time.now, config: { runWork: false }, log: quiet });
  kernel.tables(RATE_TABLES, rateTables);
  await kernel.start();
  const dies = rateLimit(kernel, "mail", { limit: 5, perSecs: 60 });
  const lives = rateLimit(kernel, "mail", { limit: 5, perSecs: 60 });
  const permits = async (wanted: number) => (await lives(wanted)).permits;
  expect((await dies(3)).permits).toBe(3); // and dies
  expect([await permits(5), await permits(5)]).toEqual([2, 0]);
  await time.advance(59_999);
  expect(await permits(5)).toBe(0);
  await time.advance(1);
  const taken = await lives(5);
  expect(taken.permits).toBe(5);
  await time.advance(60_000);
  expect(await permits(4)).toBe(4);
  await taken.giveBack(5); // those of a period that is over
  expect([await permits(5), await permits(5)]).toEqual([1, 0]);
  await kernel.stop();
  await db.close();
});
