import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "@framework/database";
import { createKernel } from "@framework/durable/feature";
import { startPostgres, withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { JobSet } from "./job-set.ts";
import { quiet } from "./testing/job-app.test-kit.ts";

const JOBS = 300;

// The shared server is not killed; it is requested only so that this test counts as skipped without PostgreSQL.
withServer("postgres", () => {
  test("jobs that run and jobs that wait are done once when PostgreSQL is killed and starts again", async () => {
    await using server = await startPostgres({ fsync: true });
    const db = openDatabase({ url: server.url, connectionTimeoutSecs: 1 });
    await using kernel = createKernel(db, {
      config: { leaseMs: 2000, pollMinMs: 5, pollMaxMs: 100 },
      log: quiet,
    });
    const set = new JobSet({ kernel, onProblem() {} });
    const options = { retry: { attempts: 1000, delayMs: 5, maxDelayMs: 50 }, keepSecs: 0 } as const;
    const effect = set.define("effect", options, async (_, run) => {
      await delay(5);
      await db.transaction(async (tx) => {
        await tx.execute`INSERT INTO effects (job) VALUES (${run.id})`;
        await run.complete(tx);
      });
    });
    await kernel.start();
    await db.execute("CREATE TABLE effects (job TEXT NOT NULL)");
    const added = await effect.enqueueAll(Array.from({ length: JOBS }, () => ({ input: undefined })));
    const effects = (): Promise<{ job: string }[]> => db.query<{ job: string }>("SELECT job FROM effects");
    for (const part of [0.2, 0.5]) {
      await waitFor(async () => (await effects()).length >= part * JOBS, { subject: `${part} of the jobs` });
      await server.kill();
      await server.start();
    }
    const isDone = async (): Promise<boolean> => {
      const { ready, running, waiting } = await effect.stats();
      return ready + running + waiting === 0;
    };
    await waitFor(isDone, { subject: "every job", timeoutMs: 120_000 });
    const done = (await effects()).map(({ job }) => job);
    expect(done.toSorted()).toEqual(added.map(({ id }) => id).toSorted());
    expect((await effect.list({ state: "failed" })).jobs).toEqual([]);
    await kernel.stop();
    await db.close();
  }, 300_000);
});
