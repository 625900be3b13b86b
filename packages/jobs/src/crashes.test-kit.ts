// What happens to jobs and schedules when processes are killed, on every database.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type Database, openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { tableClock } from "@framework/durable/testing";
import { seededRandom, waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import type { Job } from "./index.ts";
import { JobSet } from "./job-set.ts";
import { inState, quiet } from "./testing/job-app.test-kit.ts";

const CHAOS_SECS = Number(process.env["FRAMEWORK_CHAOS_SECS"] ?? 3);
const LOG = "CREATE TABLE log (pid INTEGER, job TEXT, event TEXT)";

/** A process that works on jobs. */
class Worker implements AsyncDisposable {
  readonly ready: Promise<unknown>;
  private readonly child: ChildProcess;

  constructor(env: Readonly<Record<string, string>>) {
    const program = new URL("./worker.test-program.ts", import.meta.url).pathname;
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

  /** Ends it without a chance to clean up. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, "close");
    this.child.kill("SIGKILL");
    this.child.stdin?.destroy();
    await gone;
  }
}

/** The test's own process: adds and reads jobs, and works on none. */
interface Asking {
  readonly db: Database;
  readonly url: string;
  readonly slow: Job<undefined>;
  readonly count: Job<undefined>;
  events(): Promise<readonly { readonly pid: number; readonly job: string; readonly event: string }[]>;
}

export const crashFacts = (test: typeof jestTest, make: () => TestDatabase | Promise<TestDatabase>): void => {
  const fact = (name: string, run: (asking: Asking) => Promise<void>): void =>
    test(
      name,
      async () => {
        await using place = await make();
        const { url } = place;
        const db = openDatabase({ url, connectionTimeoutSecs: 60 });
        try {
          await using kernel = createKernel(db, { config: { runWork: false }, log: quiet });
          const set = new JobSet({ kernel, problem() {} });
          const [slow, count] = [set.define("slow", {}, () => {}), set.define("count", {}, () => {})];
          await kernel.start();
          await db.execute(LOG);
          const events: Asking["events"] = () => db.query("SELECT pid, job, event FROM log");
          await run({ db, url, slow, count, events });
        } finally {
          await db.close();
        }
      },
      180_000 + CHAOS_SECS * 1000,
    );

  fact("a job whose process is killed is finished by another process", async ({ url, slow, events }) => {
    await using killed = new Worker({ DATABASE: url });
    const { id } = await slow.enqueue();
    await waitFor(async () => (await events()).length === 1, { what: "the first attempt" });
    await using other = new Worker({ DATABASE: url });
    await other.ready;
    const firstPid = killed.pid;
    await killed[Symbol.asyncDispose]();
    expect(await inState(slow, id, "done")).toMatchObject({ attempts: 2, result: 2 });
    expect(await events()).toEqual([
      { pid: firstPid, job: id, event: "begins 1" },
      { pid: other.pid, job: id, event: "begins 2" },
      { pid: other.pid, job: id, event: "ends 2" },
    ]);
  });

  fact(
    "no job is lost or counted twice while workers are killed all the time",
    async ({ url, count, events }) => {
      const random = seededRandom(31);
      const workers = [new Worker({ DATABASE: url }), new Worker({ DATABASE: url })];
      const ids: string[] = [];
      try {
        const end = performance.now() + CHAOS_SECS * 1000;
        while (performance.now() < end) {
          const added = await count.enqueueAll(
            Array.from({ length: 20 }, () => ({ input: undefined, priority: 0 })),
          );
          ids.push(...added.map(({ id }) => id));
          await delay(50 + random() * 100);
          const victim = Math.floor(random() * workers.length);
          if (random() < 0.3) {
            await workers[victim]?.[Symbol.asyncDispose]();
            workers[victim] = new Worker({ DATABASE: url });
          }
        }
        const isDone = async (): Promise<boolean> => {
          const { ready, running, waiting } = await count.stats();
          return ready + running + waiting === 0;
        };
        await waitFor(isDone, { what: "all jobs", timeoutMs: 120_000 });
      } finally {
        await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
      }
      const { jobs: failed } = await count.list({ state: "failed" });
      expect(failed).toEqual([]);
      expect((await events()).map(({ job }) => job).toSorted()).toEqual(ids.toSorted());
    },
  );

  fact(
    "two processes start each run of a schedule once, through a change of the clocks and a kill",
    async ({ url, db, events }) => {
      const time = await tableClock(db, Date.parse("2026-10-24T23:50Z"));
      const env = { DATABASE: url, CLOCK: "table", CRON: "*/20 1-3 * * *", ZONE: "Europe/Berlin" };
      const one = new Worker(env);
      await using other = new Worker(env);
      await Promise.all([one.ready, other.ready]);
      const runs = async (): Promise<string[]> =>
        (await events()).map(({ event }) => event.slice(11, 16)).toSorted();
      // Berlin shows 1:40 to 2:40 in summer time until 1:00 UTC, then 2:00 again; what repeats does not run.
      const expected = ["00:00", "00:20", "00:40", "02:00", "02:20", "02:40"];
      const steps = Array.from({ length: 40 }, (_, at) => at);
      for (const step of steps) {
        await time.advance(300_000);
        const now = await time.read();
        const due = expected.filter((run) => Date.parse(`2026-10-25T${run}Z`) <= now);
        await waitFor(async () => (await runs()).length >= due.length, { what: `the runs ${due.join(" ")}` });
        if (step === 10) await one[Symbol.asyncDispose]();
      }
      expect(await runs()).toEqual(expected);
    },
  );
};
