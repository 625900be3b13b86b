import { PgBoss } from "pg-boss";
import type { Contender, Payload } from "./contender.ts";
import { openDatabase } from "./packages.ts";

/**
 * Opens `pg-boss`. For throughput one statement claims a batch and another completes it; if one job fails, all jobs of its batch fail. The next batch follows a full
 * one without a pause. With `notify`, new jobs wake workers; used only for latency, because it slows down adding jobs.
 */
export const pgBoss = async (url: string, { notify }: { readonly notify: boolean }): Promise<Contender> => {
  const boss = new PgBoss({ connectionString: url, useListenNotify: notify });
  boss.on("error", console.error);
  await boss.start();
  const queue = notify ? "bench-notify" : "bench";
  await boss.createQueue(queue, { notify });
  const db = openDatabase({ url, poolSize: 1 });
  return {
    add: (payload) => boss.send(queue, payload),
    addAll: (payloads) =>
      boss.insert(
        queue,
        payloads.map((data) => ({ data })),
      ),
    async work(concurrency, handle) {
      // At least 2: after a batch of one, which never counts as full, pg-boss pauses for 0.5 s.
      const options = {
        batchSize: Math.max(2, concurrency),
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
      };
      await boss.work<Payload>(queue, options, async (jobs) => {
        for (const { data } of jobs) handle(data);
      });
      return { [Symbol.asyncDispose]: () => boss.offWork(queue) };
    },
    async hasUnfinished() {
      const text = "SELECT 1 FROM pgboss.job WHERE name = $1 AND state < 'completed' LIMIT 1";
      return (await db.query(text, [queue])).length > 0;
    },
    async [Symbol.asyncDispose]() {
      await boss.stop({ graceful: false });
      await db.close();
    },
  };
};
