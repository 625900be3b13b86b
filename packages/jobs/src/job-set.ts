import {
  ConfigurationError,
  type Injections,
  type Logger,
  type Problem,
  type StandardSchema,
} from "@framework/core";
import {
  type Clock,
  describeInvalid,
  isOptions,
  messageOf,
  systemClock,
  unknownFields,
} from "@framework/core/feature";
import type { Kernel, WorkQueue } from "@framework/durable/feature";
import { DefinedJob, type TraceHeaders } from "./job/defined-job.ts";
import type { Job } from "./job/job.ts";
import type { InputOf, JobHandler, JobOptions } from "./job/job-options.ts";
import type { JobPayload } from "./job/job-payload.ts";
import { openJobQueue } from "./job/job-queue.ts";
import { Schedule, type ScheduledJob } from "./schedules/schedule.ts";
import type { ScheduleInfo, ScheduleOptions } from "./schedules/schedule-options.ts";
import { Schedules } from "./schedules/schedules.ts";

/** Dependencies of `JobSet`. */
export interface JobSetParts {
  readonly kernel: Kernel;
  /** Called with each mistake in a definition. */
  readonly onProblem: (problem: Problem) => void;
  /** @default no traces */
  readonly trace?: TraceHeaders;
  /** Timers. @default the system clock */
  readonly clock?: Clock;
  /** Returns the log. @default the console */
  readonly log?: () => Logger;
}

const noTrace: TraceHeaders = () => null;

const NAME = /^[\w.:/-]{1,90}$/;
const NAME_RULE = "its name must have 1 to 90 letters, digits and . _ : / -";

const isName = (name: unknown): name is string => typeof name === "string" && NAME.test(name);

const notAnObject = (options: unknown): string =>
  `its options must be an object, not ${Array.isArray(options) ? "a list" : describeInvalid(options)}`;

/** The jobs and schedules of one app, or of a kernel without one. */
export class JobSet {
  private readonly parts: JobSetParts;
  private readonly jobs = new Map<string, Job<StandardSchema | undefined>>();
  /** Jobs that `define` has returned, including invalid ones. */
  private readonly ownJobs = new Set<unknown>();
  private readonly plans: Schedules;

  constructor(parts: JobSetParts) {
    this.parts = parts;
    const { kernel, clock = systemClock, log = () => console } = parts;
    this.plans = new Schedules(kernel, clock, log);
  }

  define<S extends StandardSchema | undefined = undefined, I extends Injections | undefined = undefined>(
    name: string,
    options: JobOptions<S, I>,
    handler: JobHandler<S, I>,
  ): Job<S> {
    const { trace = noTrace } = this.parts;
    const queue = this.open(name, options, handler);
    const job = new DefinedJob<S>(name, queue === null ? {} : options, queue, trace);
    this.jobs.set(name, job);
    this.ownJobs.add(job);
    return job;
  }

  /** Returns the jobs in the order in which they were defined. */
  all(): readonly Job<StandardSchema | undefined>[] {
    return Array.from(this.jobs.values());
  }

  schedule<S extends StandardSchema | undefined>(name: string, options: ScheduleOptions<S>): void {
    const isRecord: boolean = isOptions(options);
    if (!isRecord) return this.refuse("JOBS_BAD_SCHEDULE", `schedule ${name}: ${notAnObject(options)}`);
    const { job, input, ...times } = options;
    const [unknown] = unknownFields("it", times, ["cron", "timeZone", "missed"]);
    const mistake = unknown ?? this.mistakeInSchedule(name, job);
    if (mistake !== null || !(job instanceof DefinedJob))
      return this.refuse("JOBS_BAD_SCHEDULE", `schedule ${name}: ${mistake}`);
    try {
      this.plans.add(new Schedule(name, times, scheduledJob(job, input as InputOf<S>)));
    } catch (error) {
      this.refuse("JOBS_BAD_SCHEDULE", `schedule ${name}: ${messageOf(error)}`);
    }
  }

  schedules(): Promise<readonly ScheduleInfo[]> {
    return this.plans.list();
  }

  /** Returns the mistakes in the inputs of schedules. */
  problems(): readonly Problem[] {
    return this.plans.problems();
  }

  /** Begins the schedules. Call it when the tables exist. */
  begin(): Promise<void> {
    return this.plans.begin();
  }

  /** Stops the checks of the schedules. */
  end(): void {
    this.plans.end();
  }

  private open<S extends StandardSchema | undefined, I extends Injections | undefined>(
    name: string,
    options: JobOptions<S, I>,
    handler: JobHandler<S, I>,
  ): WorkQueue<JobPayload> | null {
    try {
      const mistake = this.mistakeInJob(name, options, handler);
      if (mistake === null) return openJobQueue(this.parts.kernel, name, options, handler);
      this.refuse("JOBS_BAD_JOB", `job ${name}: ${mistake}`);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      for (const { message } of error.problems) this.refuse("JOBS_BAD_JOB", `job ${name}: ${message}`);
    }
    return null;
  }

  private mistakeInJob(name: unknown, options: unknown, handler: unknown): string | null {
    if (!isName(name)) return NAME_RULE;
    if (this.jobs.has(name)) return "there are two with this name; rename one";
    if (!isOptions(options)) return notAnObject(options);
    return typeof handler === "function" ? null : "its handler must be a function";
  }

  private mistakeInSchedule(name: unknown, job: unknown): string | null {
    if (!isName(name)) return NAME_RULE;
    if (this.plans.has(name)) return "there are two with this name; rename one";
    return this.ownJobs.has(job) ? null : "its job must be one returned by `define` of this app";
  }

  private refuse(code: string, message: string): void {
    this.parts.onProblem({ code, message });
  }
}

const scheduledJob = <S extends StandardSchema | undefined>(
  job: DefinedJob<S>,
  input: InputOf<S>,
): ScheduledJob => ({
  name: job.name,
  check: () => job.check(input),
  problem: () => job.problemOf(input),
  enqueue: (headers, tx) => job.enqueueAll([{ input, headers }], { tx }),
});
