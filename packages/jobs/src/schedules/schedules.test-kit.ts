// Runs of schedules, on every database: several processes, and a clock that only the test advances.
import { virtualClock, type VirtualClock } from "@framework/core/testing";
import { openDatabase, type Database } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { tableClock, type TableClock } from "@framework/durable/testing";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { JobSet } from "../job-set.ts";
import { quiet } from "../testing/job-app.test-kit.ts";
import type { ScheduleTimes } from "./schedule-options.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** Number of runs of a schedule that runs every minute, over three processes; the last run is at a full hour. */
const MINUTES = 20;

/** A process of an app: its own connection, kernel and jobs. */
interface Process extends AsyncDisposable {
  readonly set: JobSet;
  /** The clock of its timers. */
  readonly timers: VirtualClock;
}

interface ProcessOptions {
  readonly db: Database;
  readonly time: TableClock;
  /** Schedules by name; each adds the job `note`. */
  readonly schedules: Readonly<Record<string, ScheduleTimes>>;
  /** Called with the schedule and scheduled time of each run. */
  readonly ran: (schedule: string, at: string) => void;
}

const startProcess = async ({ db, time, schedules, ran }: ProcessOptions): Promise<Process> => {
  const config = { pollMinMs: 1, pollMaxMs: 10, leaseMs: 600_000 }; // longer than the time by which a test advances the clock while a job runs
  const kernel = createKernel(db, { now: time.now, config, log: quiet, random: () => 0 });
  const problem = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  const timers = virtualClock();
  const set = new JobSet({ kernel, onProblem: problem, clock: timers });
  const note = set.define("note", {}, (_, { schedule, scheduledAt }) =>
    ran(schedule ?? "", new Date(scheduledAt ?? 0).toISOString().slice(0, 16)),
  );
  for (const [name, times] of Object.entries(schedules)) set.schedule(name, { ...times, job: note });
  await kernel.start();
  await set.begin();
  const stop = (): Promise<void> => {
    set.end();
    return kernel.stop();
  };
  return { set, timers, [Symbol.asyncDispose]: stop };
};

/** Processes on one database. */
interface Fixture {
  readonly time: TableClock;
  /** The runs so far, each as `schedule time`. */
  readonly runs: readonly string[];
  start(schedules: ProcessOptions["schedules"]): Promise<Process>;
  /** Sets the clock, and waits until the next run of every schedule of a process is later than the new time. */
  at(time: string, process: Process): Promise<void>;
}

const fixture = async ({ url }: TestDatabase, start: string, opened: Database[]): Promise<Fixture> => {
  const open = (): Database => {
    const db = openDatabase({ url, connectionTimeoutSecs: 30, poolSize: 3 });
    opened.push(db);
    return db;
  };
  const time = await tableClock(open(), Date.parse(start));
  const runs: string[] = [];
  const ran: ProcessOptions["ran"] = (schedule, at) => void runs.push(`${schedule} ${at}`);
  return {
    time,
    runs,
    start: (schedules) => startProcess({ db: open(), time, schedules, ran }),
    async at(text, { set }) {
      const now = Date.parse(text);
      await time.advance(now - (await time.read()));
      const isSettled = async (): Promise<boolean> => {
        const planned = await set.schedules();
        const { ready, running } = (await set.all()[0]?.stats()) ?? { ready: 0, running: 0 };
        return planned.every(({ nextRunAt }) => (nextRunAt ?? 0) > now) && ready + running === 0;
      };
      await waitFor(isSettled, { subject: `the runs until ${text}` });
    },
  };
};

export const scheduleFacts = (
  test: typeof jestTest,
  make: () => TestDatabase | Promise<TestDatabase>,
): void => {
  const fact = (name: string, start: string, run: (fixture: Fixture) => Promise<void>): void =>
    test(
      name,
      async () => {
        await using storage = await make();
        const opened: Database[] = [];
        try {
          await run(await fixture(storage, start, opened));
        } finally {
          await Promise.all(opened.map((db) => db.close()));
        }
      },
      180_000,
    );

  fact(
    "each run starts once, in one of several processes",
    "2026-05-01T00:40:30Z",
    async ({ runs, start, time }) => {
      const schedules = { often: { cron: "* * * * *" }, hourly: { cron: "@hourly" } };
      await using one = await start(schedules);
      await using _two = await start(schedules);
      await using _three = await start(schedules);
      for (let minute = 1; minute <= MINUTES; minute++) {
        await time.advance(MINUTE);
        await waitFor(() => runs.length >= minute, { subject: `run ${minute}` });
      }
      await waitFor(() => runs.length > MINUTES, { subject: "the hourly run" });
      expect(await one.set.schedules()).toMatchObject([
        { name: "often", cron: "* * * * *", timeZone: "UTC", job: "note" },
        { name: "hourly", nextRunAt: Date.parse("2026-05-01T02:00Z") },
      ]);
      const expected = Array.from({ length: MINUTES }, (_, at) => {
        const run = new Date(Date.parse("2026-05-01T00:41Z") + at * MINUTE);
        return `often ${run.toISOString().slice(0, 16)}`;
      });
      expect(runs.toSorted()).toEqual([...expected, "hourly 2026-05-01T01:00"].toSorted());
    },
  );

  fact(
    "a skipped time runs once and a repeated time once",
    "2026-03-28T20:00Z",
    async ({ runs, start, at }) => {
      await using process = await start({ early: { cron: "30 2 * * *", timeZone: "Europe/Berlin" } });
      await using _other = await start({ early: { cron: "30 2 * * *", timeZone: "Europe/Berlin" } });
      for (const time of ["2026-03-29T00:59Z", "2026-03-29T01:00Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"])
        await at(time, process);
      expect(runs).toEqual(["early 2026-03-29T01:00", "early 2026-03-30T00:30"]);
      for (const time of ["2026-10-24T23:00Z", "2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-26T01:30Z"])
        await at(time, process);
      expect(runs.slice(-2)).toEqual(["early 2026-10-25T00:30", "early 2026-10-26T01:30"]);
      expect(runs.length).toBe(5); // including one run for all runs missed since April
    },
  );

  fact(
    "runs missed while no process was running start once, or not at all",
    "2026-05-01T00:00Z",
    async ({ runs, start, at, time }) => {
      const schedules = { once: { cron: "@daily" }, skip: { cron: "@daily", missed: "skip" } } as const;
      await (await start(schedules))[Symbol.asyncDispose]();
      await time.advance(3 * DAY + 5 * MINUTE);
      await using process = await start(schedules);
      await at("2026-05-04T00:05Z", process);
      expect(runs).toEqual(["once 2026-05-04T00:00"]);
      await at("2026-05-05T00:00Z", process);
      expect(runs.toSorted()).toEqual([
        "once 2026-05-04T00:00",
        "once 2026-05-05T00:00",
        "skip 2026-05-05T00:00",
      ]);
    },
  );

  fact(
    "a new version of a schedule replaces the scheduled run",
    "2026-05-01T12:00Z",
    async ({ runs, start, at }) => {
      await (await start({ report: { cron: "0 3 * * *" } }))[Symbol.asyncDispose]();
      await using process = await start({ report: { cron: "0 5 * * *", timeZone: "Asia/Tokyo" } });
      expect(await process.set.schedules()).toMatchObject([{ nextRunAt: Date.parse("2026-05-01T20:00Z") }]);
      for (const time of ["2026-05-01T20:00Z", "2026-05-02T04:00Z"]) await at(time, process);
      expect(runs).toEqual(["report 2026-05-01T20:00"]);
    },
  );

  fact(
    "a run scheduled while the clock was far ahead is rescheduled when the clock is corrected, at start and each minute",
    "2026-05-01T12:00:30Z",
    async ({ runs, start, at, time }) => {
      const schedules = { often: { cron: "* * * * *" } };
      const process = await start(schedules);
      await at("2027-05-01T12:00:30Z", process);
      await time.advance(Date.parse("2026-05-01T12:00:40Z") - Date.parse("2027-05-01T12:00:30Z"));
      await process.timers.advance(MINUTE);
      const next = async (): Promise<number> => (await process.set.schedules())[0]?.nextRunAt ?? 0;
      const corrected = Date.parse("2026-05-01T12:01Z");
      await waitFor(async () => (await next()) === corrected, { subject: "the new plan" });
      await at("2026-05-01T12:01Z", process);
      await at("2028-05-01T12:00:30Z", process);
      await process[Symbol.asyncDispose]();
      await time.advance(Date.parse("2026-05-01T12:01:40Z") - Date.parse("2028-05-01T12:00:30Z"));
      await using later = await start(schedules);
      expect(await later.set.schedules()).toMatchObject([{ nextRunAt: Date.parse("2026-05-01T12:02Z") }]);
      await at("2026-05-01T12:02Z", later);
      expect(runs).toEqual([
        "often 2027-05-01T12:00",
        "often 2026-05-01T12:01",
        "often 2028-05-01T12:00",
        "often 2026-05-01T12:02",
      ]);
    },
  );

  fact(
    "times that ran while the clock was ahead do not run again when it is corrected",
    "2026-05-01T12:00:30Z",
    async ({ runs, start, at, time }) => {
      await using process = await start({ often: { cron: "* * * * *" } });
      for (const minute of ["12:01", "12:30", "12:31", "12:32"]) await at(`2026-05-01T${minute}Z`, process);
      await time.advance(Date.parse("2026-05-01T12:28:10Z") - Date.parse("2026-05-01T12:32Z"));
      await process.timers.advance(MINUTE);
      const next = async (): Promise<number> => (await process.set.schedules())[0]?.nextRunAt ?? 0;
      const corrected = Date.parse("2026-05-01T12:29Z");
      await waitFor(async () => (await next()) === corrected, { subject: "the new plan" });
      await at("2026-05-01T12:29Z", process);
      expect(await next()).toBe(Date.parse("2026-05-01T12:33Z"));
      await process.timers.advance(MINUTE);
      await at("2026-05-01T12:33Z", process);
      const minutes = ["12:01", "12:30", "12:31", "12:32", "12:29", "12:33"];
      expect(runs).toEqual(minutes.map((minute) => `often 2026-05-01T${minute}`));
    },
  );

  fact("a schedule that was removed stops", "2026-05-01T12:00Z", async ({ runs, start, at }) => {
    await (await start({ old: { cron: "@hourly" }, kept: { cron: "@hourly" } }))[Symbol.asyncDispose]();
    await using process = await start({ kept: { cron: "@hourly" } });
    for (let hour = 13; hour < 23; hour++) await at(`2026-05-01T${hour}:00Z`, process);
    expect(runs.length).toBe(10);
    expect(runs.every((run) => run.startsWith("kept"))).toBe(true);
  });
};
