import { openDatabase } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { type Admission, createKernel, type WorkRate } from "@framework/durable/feature";
import { tableClock, type TableClock } from "@framework/durable/testing";
import { expect, test } from "@jest/globals";
import { quiet } from "../testing/job-app.test-kit.ts";
import { rateLimit } from "./rate-limit.ts";
import { RATE_TABLES, rateTables } from "./rate-tables.ts";

/** Two processes that share a rate of one job, on a database whose time only the test advances. */
const withSharedRate = async (
  rate: WorkRate,
  use: (one: Admission, other: Admission, time: TableClock) => Promise<void>,
): Promise<void> => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  const time = await tableClock(db, Date.parse("2026-05-01T00:00Z"));
  await using kernel = createKernel(db, { now: time.now, config: { runWork: false }, log: quiet });
  kernel.tables(RATE_TABLES, rateTables);
  await kernel.start();
  await use(rateLimit(kernel, "mail", rate), rateLimit(kernel, "mail", rate), time);
  await kernel.stop();
  await db.close();
};

test("a process without permits requests some again soon, because others may return theirs", () =>
  withSharedRate({ limit: 10, perSecs: 3600 }, async (one, other) => {
    const taken = await one(10);
    expect(await other(10)).toMatchObject({ permits: 0, retryInMs: 1000 });
    await taken.giveBack(9);
    expect(await other(10)).toMatchObject({ permits: 9 });
  }));

test("a process that repeatedly gets no permits requests less and less often, finally each minute, and when the period ends", () =>
  withSharedRate({ limit: 10, perSecs: 3600 }, async (one, other, time) => {
    await one(10);
    const pauses = [];
    for (let request = 0; request < 8; request++) pauses.push((await other(10)).retryInMs);
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    await time.advance(3_590_000);
    expect(await other(10)).toMatchObject({ permits: 0, retryInMs: 10_000 });
    await time.advance(10_000);
    expect(await other(5)).toMatchObject({ permits: 5 });
    await one(5);
    expect(await other(1)).toMatchObject({ permits: 0, retryInMs: 1000 });
  }));

test("during a deployment that lowers a limit, processes with the old limit do not exceed the old limit", async () => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  const time = await tableClock(db, Date.parse("2026-05-01T00:00Z"));
  await using kernel = createKernel(db, { now: time.now, config: { runWork: false }, log: quiet });
  kernel.tables(RATE_TABLES, rateTables);
  await kernel.start();
  const before = rateLimit(kernel, "mail", { limit: 10, perSecs: 60 });
  const after = rateLimit(kernel, "mail", { limit: 2, perSecs: 60 });
  const permits = [(await before(7)).permits, (await after(1)).permits];
  permits.push((await before(5)).permits, (await after(1)).permits, (await before(5)).permits);
  expect(permits).toEqual([7, 0, 3, 0, 0]);
  await kernel.stop();
  await db.close();
});

test("permits of a process that dies stay unused until the period ends, and permits returned after their period are ignored", async () => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  const time = await tableClock(db, Date.parse("2026-05-01T00:00Z"));
  await using kernel = createKernel(db, { now: time.now, config: { runWork: false }, log: quiet });
  kernel.tables(RATE_TABLES, rateTables);
  await kernel.start();
  const dies = rateLimit(kernel, "mail", { limit: 5, perSecs: 60 });
  const lives = rateLimit(kernel, "mail", { limit: 5, perSecs: 60 });
  const permits = async (count: number) => (await lives(count)).permits;
  expect((await dies(3)).permits).toBe(3); // this process dies
  expect([await permits(5), await permits(5)]).toEqual([2, 0]);
  await time.advance(59_999);
  expect(await permits(5)).toBe(0);
  await time.advance(1);
  const taken = await lives(5);
  expect(taken.permits).toBe(5);
  await time.advance(60_000);
  expect(await permits(4)).toBe(4);
  await taken.giveBack(5); // the permits of a period that has ended
  expect([await permits(5), await permits(5)]).toEqual([1, 0]);
  await kernel.stop();
  await db.close();
});
