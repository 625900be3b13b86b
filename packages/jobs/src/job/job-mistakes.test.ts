import { App, type Problem } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import { jobs, type JobOptions, type ScheduleOptions } from "../index.ts";
import { quiet } from "../testing/job-app.test-kit.ts";

const NAME_RULE = "its name must have 1 to 90 letters, digits and . _ : / -";

/** Values that the types exclude, as in a JavaScript program. */
const wrong = (value: unknown): JobOptions & ScheduleOptions<undefined> => value as never;

test("values of the wrong type in jobs and schedules are start errors, each with its name", async () => {
  const app = new (App.with(database, durable, jobs))().enableDatabase({ url: "sqlite://:memory:" });
  const note = app.jobs.define("note", {}, () => {});
  app.jobs.define("none", wrong(undefined), () => {});
  app.jobs.define("list", wrong([]), () => {});
  app.jobs.define(undefined as never, {}, () => {});
  app.jobs.define(
    "plain",
    wrong({ input: { to: "string" }, key: "to", isRetryable: false, keepSecs: -1 }),
    () => {},
  );
  app.jobs.define("inner", wrong({ onExhausted: "park", uniqueKey: null }), () => {});
  app.jobs.schedule("nothing", wrong(undefined));
  app.jobs.schedule("no cron", wrong({ job: note }));
  app.jobs.schedule("often", wrong({ cron: 5, job: note }));
  app.jobs.schedule("missing", wrong({ job: note }));
  const failure = await app.start({ log: quiet }).then(
    () => null,
    (error: { readonly problems: readonly Problem[] }) => error.problems,
  );
  expect(failure?.map(({ code, message }) => `${code} ${message}`)).toEqual([
    "JOBS_BAD_JOB job none: its options must be an object, not undefined",
    "JOBS_BAD_JOB job list: its options must be an object, not a list",
    `JOBS_BAD_JOB job undefined: ${NAME_RULE}`,
    "JOBS_BAD_JOB job plain: its input must be a schema that follows Standard Schema, such as z.object({ … }) of zod",
    "JOBS_BAD_JOB job plain: its key must be a function, not a value of type string",
    "JOBS_BAD_JOB job plain: its isRetryable must be a function, not a value of type boolean",
    "JOBS_BAD_JOB job plain: QueueOptions.keepSecs must be a number from 0 to 31536000, but is -1",
    'JOBS_BAD_JOB job inner: a job has no option "onExhausted"',
    "JOBS_BAD_JOB job inner: its uniqueKey must be a function, not null",
    "JOBS_BAD_SCHEDULE schedule nothing: its options must be an object, not undefined",
    `JOBS_BAD_SCHEDULE schedule no cron: ${NAME_RULE}`,
    'JOBS_BAD_SCHEDULE schedule often: its cron must be a string, such as "30 6 * * mon", not 5',
    'JOBS_BAD_SCHEDULE schedule missing: its cron must be a string, such as "30 6 * * mon", not undefined',
  ]);
});
