// One process of the crash tests: works on jobs and schedules, and records the begin and end of each attempt in the table `log`. Prints `ready` when it runs.
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase, sql } from "@framework/database";
import { createKernel } from "@framework/durable/feature";
import { untilGo } from "@framework/warm-processes";
import { JobSet } from "./job-set.ts";

const { DATABASE = "", CLOCK = "", CRON = "", ZONE = "", WARM = "" } = process.env;
const db = openDatabase({ url: DATABASE, connectionTimeoutSecs: 60, poolSize: 4 });
const config = { leaseMs: 600_000, pollMinMs: 5, pollMaxMs: 50 };
const now = CLOCK === "" ? {} : { now: sql`(SELECT ms FROM framework_test_clock)` };
const log = { info() {}, warn() {}, error() {} };
const kernel = createKernel(db, { config, log, ...now });
const note = async (job: string, event: string): Promise<void> => {
  await db.execute`INSERT INTO log (pid, job, event) VALUES (${process.pid}, ${job}, ${event})`;
};

const jobs = new JobSet({
  kernel,
  onProblem({ message }) {
    throw new Error(message);
  },
});
jobs.define("slow", {}, async (_, { id, attempt, signal }) => {
  await note(id, `begins ${attempt}`);
  while (attempt === 1 && !signal.aborted) await delay(10); // the first attempt does not end by itself
  await note(id, `ends ${attempt}`);
  return attempt;
});
jobs.define("count", { retry: { attempts: 1000, delayMs: 1 } }, async (_, run) => {
  await db.transaction(async (tx) => {
    await tx.execute`INSERT INTO log (pid, job, event) VALUES (${process.pid}, ${run.id}, 'counted')`;
    await run.complete(tx);
  });
});
const tick = jobs.define("tick", {}, async (_, run) => {
  await db.transaction(async (tx) => {
    const at = new Date(run.scheduledAt ?? 0).toISOString();
    await tx.execute`INSERT INTO log (pid, job, event) VALUES (${process.pid}, 'tick', ${at})`;
    await run.complete(tx);
  });
});
if (CRON !== "") jobs.schedule("tick", { cron: CRON, timeZone: ZONE, job: tick });

if (WARM !== "") {
  await db.fetchValue("SELECT 1");
  await untilGo();
}
await kernel.start();
await jobs.begin();
if (WARM === "") {
  console.log("ready");
  process.stdin.resume().once("end", () => process.exit()); // the test process has ended
}
