import { App, type Logger } from "@framework/core";
import { database, type DatabaseMethods } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { durable, type DurableMethods } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { type Job, type JobInfo, jobs, type JobsMethods } from "../index.ts";

export type JobApp = App & DatabaseMethods & DurableMethods & JobsMethods;

export const quiet: Logger = { info() {}, warn() {}, error() {} };

/** Creates an app without starting it. */
export const jobApp = (
  { url }: Pick<TestDatabase, "url">,
  { runWork = true }: { readonly runWork?: boolean } = {},
): JobApp =>
  new (App.with(database, durable, jobs))()
    .enableDatabase({ url, poolSize: 3 })
    .enableDurable({ pollMinMs: 5, pollMaxMs: 50, runWork });

/** Starts an app, calls `use`, and stops the app. */
export const withStarted = async (app: JobApp, use: () => Promise<void>): Promise<void> => {
  await app.start({ log: quiet });
  try {
    await use();
  } finally {
    await app.stop();
  }
};

/** Waits until a job is in a state. */
export const waitForState = async (
  job: Pick<Job, "name" | "get">,
  id: string,
  state: JobInfo["state"],
): Promise<JobInfo> => {
  const found = await waitFor(
    async () => {
      const info = await job.get(id);
      return info?.state === state && info;
    },
    { subject: `${job.name} ${id} to be ${state}`, timeoutMs: 60_000 },
  );
  return found as JobInfo;
};
