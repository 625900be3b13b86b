// Two hosts whose processes are replaced one after the other, on every database.
import { type Database, openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { createKernel, type OwnKernel } from "@framework/durable/feature";
import { tableClock, type TableClock } from "@framework/durable/testing";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import type { Job, JobRun } from "./index.ts";
import { JobSet } from "./job-set.ts";
import { quiet } from "./testing/job-app.test-kit.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-05-01T00:00:30Z");

/** A process of a host, which cannot see the processes of the other host. */
interface Process {
  readonly db: Database;
  readonly kernel: OwnKernel;
  readonly effect: Job<undefined>;
}

const start = async (url: string, host: string, time: TableClock): Promise<Process> => {
  const db = openDatabase({ url, connectionTimeoutSecs: 60, poolSize: 4 });
  const config = { pollMinMs: 1, pollMaxMs: 10, leaseMs: 600_000 };
  const place = () => ({ id: host, pid: 1, started: host, isGone: () => false });
  const kernel = createKernel(db, { now: time.now, config, log: quiet, place });
  const problem = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  const set = new JobSet({ kernel, onProblem: problem });
  const write = async (run: JobRun, what: string): Promise<void> =>
    await db.transaction(async (tx) => {
      await tx.execute`INSERT INTO effects (what, host) VALUES (${what}, ${host})`;
      await run.complete(tx);
    });
  const effect = set.define("effect", { keepSecs: 0 }, (_, run) => write(run, run.id));
  const tick = set.define("tick", { keepSecs: 0 }, (_, run) =>
    write(run, new Date(run.scheduledAt ?? 0).toISOString().slice(11, 16)),
  );
  set.schedule("every-minute", { cron: "* * * * *", job: tick });
  await kernel.start();
  await set.begin();
  return { db, kernel, effect };
};

/** Stops a process as at SIGTERM: its handlers finish, and its other work is released. */
const end = async ({ kernel, db }: Process): Promise<void> => {
  await kernel.drain();
  await kernel.stop();
  await db.close();
};

export const rollingReplacement = (
  test: typeof jestTest,
  make: () => TestDatabase | Promise<TestDatabase>,
): void => {
  test("two hosts are replaced one after the other: every job and every run of a schedule happens once", async () => {
    await using storage = await make();
    const observer = openDatabase({ url: storage.url, connectionTimeoutSecs: 60, poolSize: 2 });
    const time = await tableClock(observer, START);
    await observer.execute("CREATE TABLE effects (what TEXT NOT NULL, host TEXT NOT NULL)");
    const running = [await start(storage.url, "a1", time), await start(storage.url, "b1", time)];
    const expected: string[] = [];
    const effects = (): Promise<{ what: string; host: string }[]> =>
      observer.query("SELECT what, host FROM effects");
    for (let minute = 1; minute <= 12; minute++) {
      const [first] = running;
      const added = await first!.effect.enqueueAll(Array.from({ length: 25 }, () => ({ input: undefined })));
      await time.advance(MINUTE);
      expected.push(...added.map(({ id }) => id), `00:${String(minute).padStart(2, "0")}`);
      if (minute % 4 === 0) {
        running.push(await start(storage.url, `${minute % 8 === 0 ? "a" : "b"}${minute}`, time));
        await end(running.shift()!); // while its jobs run and its run of the schedule is due
      }
      const isDone = async (): Promise<boolean> => (await effects()).length >= expected.length;
      await waitFor(isDone, { subject: `the work of minute ${minute}`, timeoutMs: 60_000 });
    }
    const done = await effects();
    expect(done.map(({ what }) => what).toSorted()).toEqual(expected.toSorted());
    expect(new Set(done.map(({ host }) => host)).size).toBeGreaterThanOrEqual(3);
    await Promise.all(running.map(end));
    await observer.close();
  }, 180_000);
};
