import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import { jobs } from "./index.ts";
import { jobFacts } from "./jobs.test-kit.ts";
import { quiet } from "./testing/job-app.test-kit.ts";

jobFacts(test, databaseInFile);

const inMemory = () => new (App.with(database, durable, jobs))().enableDatabase({ url: "sqlite://:memory:" });

test("all mistakes in jobs and schedules are reported at start, together", async () => {
  const app = inMemory();
  const ok = app.jobs.define("ok", {}, () => {});
  app.jobs.define("ok", {}, () => {});
  app.jobs.define("no spaces", {}, () => {});
  app.jobs.define("often", { rate: { limit: 0 } }, () => {});
  app.jobs.define("limits", { timeoutMs: 0, concurrency: 5000 }, () => {});
  app.jobs
    .schedule("a", { cron: "61 * * * *", job: ok })
    .schedule("b", { cron: "@daily", timeZone: "Europe/Nowhere", job: ok })
    .schedule("c", { cron: "0 0 30 2 *", job: ok })
    .schedule("d", { cron: "@daily", job: ok })
    .schedule("d", { cron: "@daily", job: ok });
  const failure = await app.start({ log: quiet }).then(
    () => "started",
    (error: Error) => error.message,
  );
  for (const message of [
    "job ok: there are two of that name; rename one",
    "job no spaces: its name has 1 to 90 letters",
    "JobRate.limit",
    "QueueOptions.timeoutMs",
    "QueueOptions.concurrency",
    'schedule a: the minute "61" is not 0 to 59',
    'schedule b: the time zone "Europe/Nowhere" is unknown',
    'schedule c: "0 0 30 2 *" never runs',
    "schedule d: there are two of that name; rename one",
  ])
    expect(failure).toContain(message);
});

test("a schedule whose input does not fit its job is a start error", async () => {
  const { z } = await import("zod");
  const app = inMemory();
  const job = app.jobs.define("report", { input: z.object({ days: z.number() }) }, () => {});
  app.jobs.schedule("nightly", { cron: "@daily", job, input: { days: "7" as unknown as number } });
  await expect(app.start({ log: quiet })).rejects.toThrow('the input of "report" is invalid: input.days');
});

test("jobs and schedules are defined before the start", async () => {
  const app = inMemory();
  const job = app.jobs.define("early", {}, () => {});
  await app.start({ log: quiet });
  expect(() => app.jobs.define("late", {}, () => {})).toThrow("start");
  expect(() => app.jobs.schedule("late", { cron: "@daily", job })).toThrow("start");
  expect(app.jobs.all().map(({ name }) => name)).toEqual(["early"]);
  await app.stop();
});

test("jobs need a database, which the start says", async () => {
  const app = new (App.with(database, durable, jobs))();
  app.jobs.define("any", {}, () => {});
  await expect(app.start({ log: quiet })).rejects.toThrow("jobs needs a database; call enableDatabase()");
});
