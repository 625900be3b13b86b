import { Logger, makeWorkerUtils, run } from "graphile-worker";
import type { Contender, Payload } from "./contender.ts";
import { openDatabase } from "./packages.ts";

const logger = new Logger(() => (level, message) => {
  if (level === "error") console.error(message);
});

/** Concurrent handlers of the configuration in its published benchmarks. */
const DOCUMENTED_CONCURRENCY = 24;

/**
 * Opens `graphile-worker`, configured as its performance documentation recommends: prepared statements, a local queue of one job more than the concurrency,
 * and one statement for all completions of a turn of the event loop. From 500 jobs on, its published configuration: a local queue of 500.
 */
export const graphileWorker = async (url: string): Promise<Contender> => {
  const utils = await makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  const db = openDatabase({ url, poolSize: 1 });
  return {
    add: (payload) => utils.addJob("bench", payload),
    addAll: (payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: "bench", payload }))),
    async work(jobs, handle) {
      const concurrency = jobs >= 500 ? DOCUMENTED_CONCURRENCY : jobs;
      const size = jobs >= 500 ? jobs : jobs + 1;
      const runner = await run({
        preset: {
          worker: {
            connectionString: url,
            concurrentJobs: concurrency,
            maxPoolSize: Math.max(10, concurrency + 2),
            localQueue: { size },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
            logger,
          },
        },
        noHandleSignals: true,
        taskList: { bench: async (payload) => handle(payload as Payload) },
      });
      return { [Symbol.asyncDispose]: () => runner.stop() };
    },
    async hasUnfinished() {
      return (await db.query("SELECT 1 FROM graphile_worker._private_jobs LIMIT 1")).length > 0;
    },
    async [Symbol.asyncDispose]() {
      await utils.release();
      await db.close();
    },
  };
};
