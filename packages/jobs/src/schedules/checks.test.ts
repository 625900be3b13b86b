import { virtualClock } from "@framework/core/testing";
import { openDatabase } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { JobSet } from "../job-set.ts";
import { quiet } from "../testing/job-app.test-kit.ts";

const MINUTE = 60_000;

test("a failed check of scheduled runs is logged; while the database is unavailable, once every ten minutes", async () => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  const kernel = createKernel(db, { clock: virtualClock(), log: quiet });
  const timers = virtualClock();
  const lines: string[] = [];
  const note =
    (level: string) =>
    (_: string, { error, omitted = "" }: Readonly<Record<string, unknown>> = {}): void =>
      void lines.push(`${level} ${(error as { readonly code: string }).code} ${String(omitted)}`.trim());
  const log = { info: note("info"), warn: note("warn"), error: note("error") };
  const set = new JobSet({ kernel, onProblem: () => {}, clock: timers, log: () => log });
  set.schedule("often", { cron: "* * * * *", job: set.define("note", {}, () => {}) });
  await kernel.start();
  await set.begin();
  await timers.advance(MINUTE);
  await db.execute`ALTER TABLE framework_work RENAME TO other_work`;
  await timers.advance(MINUTE);
  await waitFor(() => lines.length === 1, { timeoutMs: 60_000 });
  await kernel.stop();
  await db.close();
  for (let minute = 0; minute < 11; minute++) {
    await timers.advance(MINUTE);
    await new Promise(setImmediate); // the check ends
  }
  await waitFor(() => lines.length === 3, { timeoutMs: 60_000 });
  set.end();
  await timers.advance(20 * MINUTE);
  expect(lines).toEqual([
    "error DATABASE_STATEMENT_FAILED",
    "warn DATABASE_CLOSED 0",
    "warn DATABASE_CLOSED 9",
  ]);
});

test("schedules that end during their start check no runs", async () => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  const kernel = createKernel(db, { clock: virtualClock(), log: quiet });
  const timers = virtualClock();
  const set = new JobSet({ kernel, onProblem: () => {}, clock: timers, log: () => quiet });
  set.schedule("often", { cron: "* * * * *", job: set.define("note", {}, () => {}) });
  await kernel.start();
  const beginning = set.begin();
  set.end();
  await beginning;
  await kernel.stop();
  await db.close();
  expect(timers.pending).toBe(0);
});
