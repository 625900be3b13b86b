import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import { jobs } from "./index.ts";
import { z } from "zod";
import { jobFacts } from "./jobs.test-kit.ts";
import { quiet } from "./testing/job-app.test-kit.ts";

jobFacts(test, databaseInFile);

const inMemory = () => new (App.with(database, durable, jobs))().enableDatabase({ url: "sqlite://:memory:" });

test("all mistakes in jobs and schedules are reported at start, together", async () => {
  const app = inMemory();
  const ok = app.jobs.define("ok", {}, () => {});
  app.jobs.define("ok", {}, () => {});
  app.jobs.define("no spaces", {}, () => {});
  app.jobs.define("often", { rate: { limit: 0, perSecs: 2_600_000 } }, () => {});
  app.jobs.define("rated", { rate: {} as { limit: number } }, () => {});
  app.jobs.define("limits", { timeoutMs: 0, concurrency: 5000 }, () => {});
  app.jobs.define("all", { rate: { limit: -5 }, keepSecs: -1, retry: { attempts: -1 } }, () => {});
  app.jobs
    .schedule("a", { cron: "61 * * * *", job: ok })
    .schedule("b", { cron: "@daily", timeZone: "Europe/Nowhere", job: ok })
    .schedule("c", { cron: "0 0 30 2 *", job: ok })
    .schedule("z", { cron: "@daily", job: ok, timezone: "Europe/Berlin" } as { cron: string; job: typeof ok })
    .schedule("d", { cron: "@daily", job: ok })
    .schedule("d", { cron: "@daily", job: ok });
  const failure = await app.start({ log: quiet }).then(
    () => "started",
    (error: Error) => error.message,
  );
  for (const message of [
    "job ok: there are two with this name; rename one",
    "job no spaces: its name must have 1 to 90 letters",
    "WorkRate.limit",
    "WorkRate.perSecs",
    "WorkRate needs a limit",
    "QueueOptions.timeoutMs",
    "QueueOptions.concurrency",
    "job all: WorkRate.limit",
    "job all: QueueOptions.keepSecs",
    "job all: RetryPolicy.attempts",
    'schedule a: the minute "61" must be 0 to 59',
    'schedule b: the time zone "Europe/Nowhere" is unknown',
    'schedule z: it has no field "timezone"; did you mean "timeZone"?',
    'schedule c: "0 0 30 2 *" never runs',
    "schedule d: there are two with this name; rename one",
  ])
    expect(failure).toContain(message);
});

test("a schedule whose input does not match its job is a start error", async () => {
  const app = inMemory();
  const job = app.jobs.define("report", { input: z.object({ days: z.number() }) }, () => {});
  app.jobs.schedule("nightly", { cron: "@daily", job, input: { days: "7" as unknown as number } });
  app.jobs.schedule("weekly", { cron: "@weekly", job } as never);
  app.jobs.schedule("never", { cron: "0 0 30 2 *", job, input: { days: 7 } });
  await expect(app.start({ log: quiet })).rejects.toMatchObject({
    name: "ConfigurationError",
    problems: expect.arrayContaining([
      {
        code: "JOBS_BAD_SCHEDULE",
        message: expect.stringMatching(/^schedule nightly: .*"report".*input.days/),
      },
      { code: "JOBS_BAD_SCHEDULE", message: expect.stringMatching(/^schedule weekly: .*"report"/) },
      { code: "JOBS_BAD_SCHEDULE", message: expect.stringContaining("never runs") },
    ]),
  });
});

test("a schedule whose input an asynchronous schema rejects is a start error", async () => {
  const app = inMemory();
  const input = z.object({ days: z.number() }).refine(async ({ days }) => days > 0);
  const job = app.jobs.define("report", { input }, () => {});
  app.jobs.schedule("nightly", { cron: "@daily", job, input: { days: -7 } });
  const error = await app.start({ log: quiet }).catch((failure: unknown) => failure);
  expect(JSON.stringify([String(error), String((error as Error).cause)])).toContain("schedule nightly: ");
});

test("a job or schedule that is defined after the start is refused, and the error names it", async () => {
  const app = inMemory();
  const job = app.jobs.define("early", {}, () => {});
  await app.start({ log: quiet });
  expect(() => app.jobs.define("late", {}, () => {})).toThrow('the job "late" was defined after the app');
  expect(() => app.jobs.schedule("daily", { cron: "@daily", job })).toThrow('the schedule "daily" was');
  await app.stop();
});

test("an input with a value that JSON cannot represent is refused with its path, and nothing is added", async () => {
  const app = inMemory();
  const job = app.jobs.define("lossy", { input: z.any() }, () => {});
  await app.start({ log: quiet });
  const losses = [
    [{ tags: new Set(["a"]) }, "$.tags is a Set"],
    [{ a: [new Map([[1, 2]])] }, "$.a[0] is a Map"],
    [{ id: 1n }, "$.id is a bigint"],
    [{ total: Number.NaN }, "$.total is NaN"],
    [{ total: Infinity }, "$.total is Infinity"],
    [{ call() {} }, "$.call is a function"],
    [Promise.resolve(1), "$ is a promise"],
    [1n, "$ is a bigint"],
  ] as const;
  for (const [input, problem] of losses) {
    const refused = { code: "JOBS_BAD_INPUT", message: expect.stringContaining(problem) };
    await expect(job.enqueue(input)).rejects.toMatchObject(refused);
    await expect(job.enqueueAll([{ input: 1 }, { input }])).rejects.toMatchObject(refused);
  }
  expect((await job.list()).jobs).toEqual([]);
  await app.stop();
});

test("app.jobs.all() lists the defined jobs, without one that was refused after the start", async () => {
  const app = inMemory();
  app.jobs.define("early", {}, () => {});
  await app.start({ log: quiet });
  expect(() => app.jobs.define("late", {}, () => {})).toThrow("start");
  expect(app.jobs.all().map(({ name }) => name)).toEqual(["early"]);
  await app.stop();
});

test("an app with jobs and without a database does not start", async () => {
  const app = new (App.with(database, durable, jobs))();
  app.jobs.define("any", {}, () => {});
  await expect(app.start({ log: quiet })).rejects.toThrow("jobs needs a database; call enableDatabase()");
});

test("the error of a job used before the start, while there are no tables, has the reason and the remedy", async () => {
  const app = inMemory();
  const job = app.jobs.define("mail", {}, () => {});
  const early = {
    code: "DURABLE_TABLES_MISSING",
    message: expect.stringMatching(/has not started; use queues/),
    cause: { code: "DATABASE_STATEMENT_FAILED" },
  };
  await expect(job.enqueue()).rejects.toMatchObject(early);
  await expect(job.enqueueAll([{ input: undefined }])).rejects.toMatchObject(early);
  await expect(app.db.transaction((tx) => job.enqueue(undefined, { tx }))).rejects.toMatchObject(early);
  await expect(job.list()).rejects.toMatchObject(early);
  await app.start({ log: quiet });
  expect(await job.enqueue()).toMatchObject({ isNew: true });
  await app.stop();
});

test("a misspelt option of enqueue is refused, with the nearest name", async () => {
  const app = inMemory();
  const mail = app.jobs.define("mail", {}, () => {});
  await app.start({ log: quiet });
  for (const added of [
    mail.enqueue(undefined, { delayMS: 5 } as object),
    mail.enqueueAll([{ input: undefined, delayMS: 5 } as { input: undefined }]),
  ])
    await expect(added).rejects.toMatchObject({
      code: "DURABLE_BAD_WORK",
      message: expect.stringContaining('has no field "delayMS"; did you mean "delayMs"?'),
    });
  await app.stop();
});

test("values of the wrong type are rejected by name, with the valid type", async () => {
  const app = inMemory();
  const mail = app.jobs.define("mail", {}, () => {});
  await app.start({ log: quiet });
  const enqueued = (options: unknown) => () => mail.enqueue(undefined, options as object);
  const added = (jobs: unknown, options?: unknown) => () => mail.enqueueAll(jobs as [], options as object);
  const cancelled = (job: unknown, options?: unknown) => () => mail.cancel(job as string, options as object);
  const refused: readonly (readonly [() => Promise<unknown>, string])[] = [
    [enqueued(null), "the options of enqueue must be an object, not null"],
    [enqueued("x"), "the options of enqueue must be an object, not a value of type string"],
    [enqueued({ tx: null }), "tx must be a transaction, not null"],
    [enqueued({ tx: {} }), "tx must be a transaction, not a value of type object"],
    [
      enqueued({ delayMs: "5" }),
      "delayMs must be a number from 0 to 315360000000, not a value of type string",
    ],
    [enqueued({ runAt: "5" }), "runAt must be a Date or Unix milliseconds"],
    [enqueued({ headers: "x" }), "headers must be an object of strings, not a value of type string"],
    [added(undefined), "enqueueAll needs a list of objects"],
    [added([null]), "enqueueAll needs a list of objects"],
    [added([{ input: undefined }], { tx: null }), "tx must be a transaction, not null"],
    [added([{ input: undefined }], null), "the options must be an object, not null"],
    [cancelled({}), "the item must be an id, or an object with only the string `uniqueKey`"],
    [cancelled({ key: "a" }), "the item must be an id"],
    [cancelled({ uniqueKey: 5 }), "the item must be an id"],
    [cancelled(undefined), "the item must be an id"],
    [cancelled("1", { keepRuning: true }), 'has no field "keepRuning"; did you mean "keepRunning"?'],
  ];
  for (const [call, message] of refused)
    await expect(call()).rejects.toMatchObject({
      code: "DURABLE_BAD_WORK",
      message: expect.stringContaining(message),
    });
  expect((await mail.list()).jobs).toEqual([]);
  await app.stop();
});

test("options, filters and jobs may be instances of classes of the program", async () => {
  class Urgent {
    readonly priority = 5;
  }
  class Mail {
    readonly input = undefined;
    readonly uniqueKey = "weekly";
  }
  class Weekly {
    readonly uniqueKey = "weekly";
  }
  class Waiting {
    readonly state = "waiting";
  }
  const app = inMemory();
  const mail = app.jobs.define("mail", {}, () => {});
  await app.start({ log: quiet });
  const later = { delayMs: 60_000 };
  const { id } = await mail.enqueue(undefined, Object.assign(new Urgent(), later));
  await mail.enqueueAll([Object.assign(new Mail(), later)]);
  expect((await mail.list(new Waiting())).jobs.map((job) => job.priority)).toEqual([5, 0]);
  expect(await mail.cancel(new Weekly())).toBe(true);
  expect((await mail.list(new Waiting())).jobs.map((job) => job.id)).toEqual([id]);
  await app.stop();
});

test("a filter with an unknown field is rejected, because it would select all jobs", async () => {
  const app = inMemory();
  const mail = app.jobs.define("mail", {}, () => {});
  await app.start({ log: quiet });
  const filters: readonly (readonly [unknown, string])[] = [
    [{ status: "failed" }, 'the filter has no field "status"'],
    [{ limt: 5 }, 'the filter has no field "limt"; did you mean "limit"?'],
    [{ key: 5 }, "key must be a string, not 5"],
    [null, "the filter must be an object, not null"],
  ];
  for (const [filter, message] of filters)
    await expect(mail.list(filter as object)).rejects.toMatchObject({
      code: "DURABLE_BAD_FILTER",
      message: expect.stringContaining(message),
    });
  expect((await mail.list({ state: undefined, key: undefined })).jobs).toEqual([]);
  await app.stop();
});

test("a schedule rejects a job of another app", async () => {
  const job = inMemory().jobs.define("mail", {}, () => {});
  const app = inMemory();
  app.jobs.schedule("daily", { cron: "@daily", job });
  await expect(app.start({ log: quiet })).rejects.toMatchObject({
    problems: [
      {
        code: "JOBS_BAD_SCHEDULE",
        message: "schedule daily: its job must be one returned by `define` of this app",
      },
    ],
  });
});
