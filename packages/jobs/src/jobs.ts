import { FrameworkError, type Injections, type StandardSchema } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import type { DatabaseMethods } from "@framework/database";
import type { DurableMethods } from "@framework/durable";
import { kernelOf } from "@framework/durable/feature";
import type { Job } from "./job/job.ts";
import type { JobHandler, JobOptions } from "./job/job-options.ts";
import { JobSet } from "./job-set.ts";
import type { ScheduleInfo, ScheduleOptions } from "./schedules/schedule-options.ts";

/** The methods that the feature adds to an app. */
export interface JobsMethods {
  /** Background jobs of the app. */
  readonly jobs: Jobs;
}

/** Background jobs of an app. */
export interface Jobs {
  /**
   * Defines a job and its handler, before the start. Every process of the app that defines it works on it, unless its `DurableConfig.runWork` is `false`.
   *
   * A handler may run again after a crash, a timeout or an error: pass its transaction to `run.complete`, or make it idempotent.
   *
   * @param name 1 to 90 letters, digits and `. _ : / -`, the same in every process
   * @throws JOBS_BAD_JOB at start, together with all other configuration errors
   */
  define<
    S extends StandardSchema | undefined = undefined,
    const I extends Injections | undefined = undefined,
  >(
    name: string,
    options: JobOptions<S, I>,
    handler: JobHandler<S, I>,
  ): Job<S>;
  /**
   * Adds a job at the times of a cron expression, once per time over all processes. A time skipped by a clock change runs once at the end of
   * the gap; a repeated time runs once, unless the expression matches every hour.
   *
   * @param name 1 to 90 letters, digits and `. _ : / -`, the same in every process
   * @throws JOBS_BAD_SCHEDULE at start, together with all other configuration errors
   */
  schedule<S extends StandardSchema | undefined>(name: string, options: ScheduleOptions<S>): this;
  /** Returns all defined jobs, in the order of `define`. */
  all(): readonly Job[];
  /** Returns all schedules with their next runs. */
  schedules(): Promise<readonly ScheduleInfo[]>;
}

/**
 * Background jobs on the app's database: retries, delays, priorities, unique keys, progress, results, cron schedules.
 *
 * @example
 * const app = new (App.with(database, durable, jobs))().enableDatabase();
 * const sendMail = app.jobs.define("send-mail", { input: z.object({ to: z.string() }) }, async ({ to }) => await send(to));
 * await sendMail.enqueue({ to: "ada@example.org" }, { tx });
 */
export const jobs: Feature<JobsMethods, DatabaseMethods & DurableMethods> = {
  name: "jobs",
  requires: { members: ["db", "durable"], example: "App.with(database, durable, jobs)" },
  install: (host, needs) => {
    const kernel = kernelOf(needs);
    const set = new JobSet({
      kernel,
      onProblem: (problem) => host.problem(problem),
      trace: () => host.insight.currentTrace()?.headers() ?? null,
      log: () => host.life.settings.log,
    });
    let isUsed = false;
    const use = (subject: string): void => {
      try {
        host.check(() => []); // throws after the start
      } catch (cause) {
        throw FrameworkError.is(cause) ? definedAfterStart(subject, cause) : cause;
      }
      if (isUsed) return;
      isUsed = true;
      host.check(() => set.problems());
      kernel.use("jobs");
      host.life.onListening({ name: "jobs", run: () => set.begin() });
      host.life.onStop({ name: "jobs", run: () => set.end() });
    };
    const api: Jobs = {
      define(name, options, handler) {
        use(`the job "${name}"`);
        return set.define(name, options, handler);
      },
      schedule(name, options) {
        use(`the schedule "${name}"`);
        set.schedule(name, options);
        return this;
      },
      all: () => set.all(),
      schedules: () => set.schedules(),
    };
    return {
      get jobs() {
        return api;
      },
    };
  },
};

const definedAfterStart = (subject: string, cause: FrameworkError): FrameworkError =>
  new FrameworkError(cause.code, `jobs: ${subject} was defined after the app started; define it before`, {
    cause,
  });
