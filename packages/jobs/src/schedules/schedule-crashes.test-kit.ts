// Schedules whose process dies at any statement, on every database.
import { type Database, openDatabase } from "@framework/database";
import {
  crashAtEachStatement,
  type FaultingDatabase,
  faultingDatabase,
  type TestDatabase,
} from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { tableClock, type TableClock } from "@framework/durable/testing";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { JobSet } from "../job-set.ts";
import { quiet } from "../testing/job-app.test-kit.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-05-01T00:00:30Z");
const minuteOf = (at: number): string => new Date(at).toISOString().slice(11, 16);

/** Database of the schedules of a process. While armed, it runs the next transaction on a connection that fails, as if the process died in it. */
class CrashingDatabase {
  readonly db: Database;
  isArmed = false;

  constructor(db: Database, faulting: FaultingDatabase) {
    const transaction = (...args: Parameters<Database["transaction"]>): Promise<unknown> => {
      const on = this.isArmed ? faulting : db;
      this.isArmed = false; // another process makes the next attempt
      return on.transaction(...args);
    };
    this.db = Object.create(db, { transaction: { value: transaction } }) as Database;
  }
}

interface Process extends AsyncDisposable {
  readonly set: JobSet;
  /** Schedules the next run. */
  begin(): Promise<void>;
}

/** A process with one schedule. `db` has the transactions of the schedules, `real` everything else. */
const start = async (
  { db, real, time }: { readonly db: Database; readonly real: Database; readonly time: TableClock },
  cron: string,
  ran: string[],
): Promise<Process> => {
  const config = { pollMinMs: 1, pollMaxMs: 10, leaseMs: 600_000 };
  const kernel = createKernel(real, { now: time.now, config, log: quiet, random: () => 0 });
  const own = Object.create(kernel, { db: { value: db } }) as typeof kernel;
  const problem = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  const set = new JobSet({ kernel: own, onProblem: problem });
  const note = set.define("note", {}, (_, { scheduledAt }) => void ran.push(minuteOf(scheduledAt ?? 0)));
  set.schedule("often", { cron, job: note });
  await kernel.start();
  return { set, begin: () => set.begin(), [Symbol.asyncDispose]: () => kernel.stop() };
};

/** Advances the clock, so that failed attempts are repeated, until the next run is scheduled after an instant. */
const untilPlannedAfter = async ({ set }: Process, time: TableClock, instant: number): Promise<number> =>
  await waitFor(
    async () => {
      const [info] = await set.schedules();
      const { ready, running, waiting } = (await set.all()[0]?.stats()) ?? {};
      if ((info?.nextRunAt ?? 0) > instant && ready === 0 && running === 0 && waiting === 0)
        return info?.nextRunAt ?? 0;
      await time.advance(500);
      return false;
    },
    { subject: `a run after ${minuteOf(instant)}`, timeoutMs: 60_000 },
  );

/** A new database, on which a process dies at a statement of a transaction of the schedules. */
interface CrashSetup {
  readonly real: Database;
  readonly crashing: CrashingDatabase;
  readonly time: TableClock;
  readonly ran: string[];
}

export const scheduleCrashes = (
  test: typeof jestTest,
  make: () => TestDatabase | Promise<TestDatabase>,
): void => {
  const atEachStatement = (run: (setup: CrashSetup) => Promise<void>): Promise<number> =>
    crashAtEachStatement(async (crash) => {
      await using storage = await make();
      const real = openDatabase({ url: storage.url, connectionTimeoutSecs: 30, poolSize: 3 });
      const faulting = faultingDatabase(real, crash);
      try {
        await run({
          real,
          crashing: new CrashingDatabase(real, faulting),
          time: await tableClock(real, START),
          ran: [],
        });
      } finally {
        await faulting.close();
        await real.close();
      }
      return faulting;
    });

  test("after a crash at any statement that starts a run, each run is started once", async () => {
    const crashes = await atEachStatement(async ({ real, crashing, time, ran }) => {
      await using running = await start({ db: crashing.db, real, time }, "* * * * *", ran);
      await running.begin();
      crashing.isArmed = true;
      await time.advance(MINUTE);
      const first = START + MINUTE / 2;
      const next = await untilPlannedAfter(running, time, first);
      const expected: string[] = [];
      for (let at = first; at < next; at += MINUTE) expected.push(minuteOf(at));
      expect(ran).toEqual(expected);
    });
    expect(crashes).toBeGreaterThanOrEqual(8); // complete, job, next run, commit: before and after
  }, 240_000);

  test("after a crash at any statement that reschedules a schedule, its next run is scheduled once, by the new times", async () => {
    const crashes = await atEachStatement(async ({ real, crashing, time, ran }) => {
      {
        await using old = await start({ db: real, real, time }, "0 12 * * *", ran);
        await old.begin();
      }
      {
        await using dying = await start({ db: crashing.db, real, time }, "*/5 * * * *", ran);
        crashing.isArmed = true;
        await dying.begin().catch(() => {});
      }
      await using next = await start({ db: real, real, time }, "*/5 * * * *", ran);
      await next.begin();
      expect(await next.set.schedules()).toMatchObject([{ nextRunAt: Date.parse("2026-05-01T00:05:00Z") }]);
      const planned =
        "SELECT count(*) FROM framework_work WHERE queue = 'jobs.schedules' AND finished_at IS NULL";
      expect(await real.fetchValue(planned)).toBe(1);
    });
    expect(crashes).toBeGreaterThanOrEqual(6); // cancel, next run, commit: before and after
  }, 240_000);
};
