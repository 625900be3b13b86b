import { PgBoss } from "pg-boss";
import type { Contender, Payload } from "./contender.ts";
import { openDatabase } from "./packages.ts";

/**
 * `pg-boss`. A batch is claimed by one statement and completed by another, which is its way to many jobs a second; all of a batch fail when one does. Full
 * batches are followed by the next at once. With `notify` new jobs wake workers: for latency, because it slows the adding down.
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
      // A batch of one is never "full": it would be followed by a pause of 0.5 s.
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
