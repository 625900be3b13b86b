// Jobs and schedules whose processes are killed, on every database.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { bundledProgram } from "@framework/bundled-sources";
import { type Database, openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { tableClock } from "@framework/durable/testing";
import { waitFor } from "@framework/testing";
import { type Killed, killWarmProcesses } from "@framework/warm-processes";
import { expect, type test as jestTest } from "@jest/globals";
import type { Job } from "./index.ts";
import { JobSet } from "./job-set.ts";
import { waitForState, quiet } from "./testing/job-app.test-kit.ts";

/** Seconds that the killed processes work in total. */
const KILL_SECS = Number(process.env["FRAMEWORK_KILL_SECS"] ?? "0.3");

/** Minimum number of kills; low, because workers live longer on a busy machine. */
const MIN_KILLS = 6;

/** Maximum waiting jobs while processes are killed. */
const MAX_READY = 400;

const LOG = "CREATE TABLE log (pid INTEGER, job TEXT, event TEXT)";

/** A process that works on jobs. */
class Worker implements AsyncDisposable {
  readonly ready: Promise<unknown>;
  private readonly child: ChildProcess;

  constructor(env: Readonly<Record<string, string>>) {
    const program = bundledProgram(new URL("./worker.test-program.ts", import.meta.url));
    this.child = spawn(process.execPath, ["--conditions=@framework/source", program], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, NODE_OPTIONS: "", ...env },
    });
    const { stdout } = this.child;
    this.ready = stdout === null ? Promise.resolve() : once(stdout, "data");
    this.ready.catch(() => {}); // killed before it was ready
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Kills the process, so it cannot clean up. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, "close");
    this.child.kill("SIGKILL");
    this.child.stdin?.destroy();
    await exited;
  }
}

/** The process of the test: adds and reads jobs, and runs none. */
interface CrashTest {
  readonly db: Database;
  readonly url: string;
  readonly slow: Job<undefined>;
  readonly count: Job<undefined>;
  events(): Promise<readonly { readonly pid: number; readonly job: string; readonly event: string }[]>;
}

export const crashFacts = (test: typeof jestTest, make: () => TestDatabase | Promise<TestDatabase>): void => {
  const fact = (name: string, run: (side: CrashTest) => Promise<void>): void =>
    test(
      name,
      async () => {
        await using storage = await make();
        const { url } = storage;
        const db = openDatabase({ url, connectionTimeoutSecs: 60 });
        try {
          await using kernel = createKernel(db, { config: { runWork: false }, log: quiet });
          const set = new JobSet({ kernel, onProblem() {} });
          const [slow, count] = [set.define("slow", {}, () => {}), set.define("count", {}, () => {})];
          await kernel.start();
          await db.execute(LOG);
          const events: CrashTest["events"] = () => db.query("SELECT pid, job, event FROM log");
          await run({ db, url, slow, count, events });
        } finally {
          await db.close();
        }
      },
      600_000 + KILL_SECS * 30_000,
    );

  fact("a job whose process is killed is finished by another process", async ({ url, slow, events }) => {
    await using killed = new Worker({ DATABASE: url });
    const { id } = await slow.enqueue();
    await waitFor(async () => (await events()).length === 1, { subject: "the first attempt" });
    await using other = new Worker({ DATABASE: url });
    await other.ready;
    const firstPid = killed.pid;
    await killed[Symbol.asyncDispose]();
    expect(await waitForState(slow, id, "done")).toMatchObject({ attempts: 2, result: 2 });
    expect(await events()).toEqual([
      { pid: firstPid, job: id, event: "begins 1" },
      { pid: other.pid, job: id, event: "begins 2" },
      { pid: other.pid, job: id, event: "ends 2" },
    ]);
  });

  fact(
    "no job is lost or counted twice while workers are repeatedly killed about 50 ms after they began",
    async ({ url, count, events }) => {
      const ids: string[] = [];
      let hasEnded = false;
      const add = async (): Promise<void> => {
        for (; !hasEnded; await delay(10)) {
          if ((await count.stats()).ready > MAX_READY) continue;
          const added = await count.enqueueAll(Array.from({ length: 20 }, () => ({ input: undefined })));
          ids.push(...added.map(({ id }) => id));
        }
      };
      const kill = async (): Promise<Killed> => {
        try {
          const program = new URL("./worker.test-program.ts", import.meta.url);
          const env = { DATABASE: url, WARM: "1" };
          return await killWarmProcesses({
            program,
            env: () => env,
            workingMs: KILL_SECS * 1000,
            minKills: MIN_KILLS,
          });
        } finally {
          hasEnded = true;
        }
      };
      const [killed] = await Promise.all([kill(), add()]);
      expect(killed.kills).toBeGreaterThanOrEqual(MIN_KILLS);
      await using _last = new Worker({ DATABASE: url });
      const isDone = async (): Promise<boolean> => {
        const { ready, running, waiting } = await count.stats();
        return ready + running + waiting === 0;
      };
      await waitFor(isDone, { subject: "all jobs", timeoutMs: 120_000 });
      const { jobs: failed } = await count.list({ state: "failed" });
      expect(failed).toEqual([]);
      expect((await events()).map(({ job }) => job).toSorted()).toEqual(ids.toSorted());
      if (KILL_SECS > 10) console.log(JSON.stringify({ ...killed, jobs: ids.length }));
    },
  );

  fact(
    "two processes start each run of a schedule once, through a change to winter time and a kill",
    async ({ url, db, events }) => {
      const time = await tableClock(db, Date.parse("2026-10-24T23:50Z"));
      const env = { DATABASE: url, CLOCK: "table", CRON: "*/20 1-3 * * *", ZONE: "Europe/Berlin" };
      const one = new Worker(env);
      await using other = new Worker(env);
      await Promise.all([one.ready, other.ready]);
      const runs = async (): Promise<string[]> =>
        (await events()).map(({ event }) => event.slice(11, 16)).toSorted();
      // Berlin shows 1:40 to 2:40 in summer time until 1:00 UTC, then 2:00 again; repeated times do not run.
      const expected = ["00:00", "00:20", "00:40", "02:00", "02:20", "02:40"];
      const steps = Array.from({ length: 20 }, (_, at) => at);
      for (const step of steps) {
        await time.advance(600_000);
        const now = await time.read();
        const due = expected.filter((run) => Date.parse(`2026-10-25T${run}Z`) <= now);
        await waitFor(async () => (await runs()).length >= due.length, {
          subject: `the runs ${due.join(" ")}`,
        });
        if (step === 5) await one[Symbol.asyncDispose]();
      }
      expect(await runs()).toEqual(expected);
    },
  );
};
