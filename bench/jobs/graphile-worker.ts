import { Logger, makeWorkerUtils, run } from "graphile-worker";
import type { Contender, Payload } from "./contender.ts";
import { openDatabase } from "./packages.ts";

const logger = new Logger(() => (level, message) => {
  if (level === "error") console.error(message);
});

/** Handlers at a time of the configuration for which its documentation gives its figures. */
const DOCUMENTED_CONCURRENCY = 24;

/**
 * `graphile-worker` as its documentation on performance says: prepared statements, jobs claimed in batches into a local queue, of one more than run at a
 * time, and completions of one turn of the event loop in one statement. From 500 jobs on, its documented configuration: a local queue of 500.
 */
export const graphileWorker = async (url: string): Promise<Contender> => {
  const utils = await makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  const db = openDatabase({ url, poolSize: 1 });
  return {
    add: (payload) => utils.addJob("bench", payload),
    addAll: (payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: "bench", payload }))),
    async work(held, handle) {
      const concurrency = held >= 500 ? DOCUMENTED_CONCURRENCY : held;
      const size = held >= 500 ? held : held + 1;
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
