import { App, type Logger, type StandardSchema } from "@framework/core";
import type { Contender, Payload } from "./contender.ts";
import { database, durable, jobs } from "./packages.ts";

const log: Logger = { info() {}, warn: console.warn, error: console.error };

/** Accepts every payload, because the cost of a schema library is not measured. */
const input: StandardSchema<Payload, Payload> = {
  "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value: value as Payload }) },
};

/** Creates an app that defines one job. */
const createApp = (
  url: string,
  options: { readonly concurrency: number; readonly keepSecs: number; readonly runWork: boolean },
  handle: (payload: Payload) => void,
) => {
  const { runWork, ...limits } = options;
  const app = new (App.with(database, durable, jobs))()
    .enableDatabase({ url, slowQueryMs: 0 })
    .enableDurable({ runWork });
  const job = app.jobs.define("bench", { input, ...limits }, handle);
  return { app, job };
};

/** Opens `@framework/jobs`: one app that only enqueues, and another one as worker. */
export const frameworkJobs = async (url: string, keepSecs: number): Promise<Contender> => {
  const { app, job } = createApp(url, { concurrency: 1, keepSecs, runWork: false }, () => {});
  await app.start({ log });
  return {
    add: (payload) => job.enqueue(payload),
    addAll: (payloads) => job.enqueueAll(payloads.map((payload) => ({ input: payload }))),
    async work(concurrency, handle) {
      const worker = createApp(url, { concurrency, keepSecs, runWork: true }, handle);
      await worker.app.start({ log });
      return { [Symbol.asyncDispose]: () => worker.app.stop() };
    },
    async hasUnfinished() {
      const text = "SELECT 1 FROM framework_work WHERE finished_at IS NULL LIMIT 1";
      return (await app.db.query(text)).length > 0;
    },
    async [Symbol.asyncDispose]() {
      await app.stop();
    },
  };
};
