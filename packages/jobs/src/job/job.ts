import type { StandardSchema } from "@framework/core";
import type {
  Enqueued,
  NewWork,
  UniqueItem,
  WorkFilter,
  WorkOptions,
  WorkStats,
} from "@framework/durable/feature";
import type { JobInfo, JobPage } from "./job-info.ts";
import type { InputOf } from "./job-options.ts";

/** When and how a job runs. `key` and `uniqueKey` take precedence over those of the definition. */
export type JobSettings = Omit<NewWork<unknown>, "payload">;

/** Options of `enqueue`. */
export interface EnqueueOptions extends JobSettings, WorkOptions {}

/** Arguments of `enqueue`: the input, unless it may be `undefined`, and options. */
export type EnqueueArguments<Input> = undefined extends Input
  ? [input?: Input, options?: EnqueueOptions]
  : [input: Input, options?: EnqueueOptions];

/** One of many jobs to enqueue. */
export interface NewJob<Input> extends JobSettings {
  /** Input of the handler, as it was before its schema. */
  readonly input: Input;
}

/** A job that was defined: adds work to it, and looks after it. Works in every process that defines it. */
export interface Job<S extends StandardSchema | undefined = StandardSchema | undefined> {
  /** Name of the job. */
  readonly name: string;
  /**
   * Adds a job. With `tx` it is added by that transaction: it runs after the commit, and never if the transaction is rolled back.
   *
   * `isNew` is `false` when an unfinished job has its unique key: `id` is that one's.
   *
   * @throws FrameworkError JOBS_BAD_INPUT; DURABLE_BAD_WORK for bad options; HttpError 503 (DURABLE_BUSY) when 10,000 adds with keys wait
   */
  enqueue(...args: EnqueueArguments<InputOf<S>>): Promise<Enqueued>;
  /** Adds up to 10,000 jobs, with inputs and headers of up to 64 MiB together, at once, all or none. @throws as `enqueue` */
  enqueueAll(jobs: readonly NewJob<InputOf<S>>[], options?: WorkOptions): Promise<readonly Enqueued[]>;
  /**
   * Cancels the unfinished job with this id or unique key: it does not start, and if it runs, its signal aborts and its outcome is refused. Returns
   * whether there was one.
   */
  cancel(job: string | UniqueItem, options?: WorkOptions): Promise<boolean>;
  /** Starts a failed or cancelled job again, with all its attempts. Returns `false` for any other, and when its unique key is taken. */
  retry(id: string): Promise<boolean>;
  /** Returns a job, with its progress, result or failure; `null` for one that does not exist any more. */
  get(id: string): Promise<JobInfo | null>;
  /** Lists jobs in the order in which they were added, or in its reverse. @throws DURABLE_BAD_FILTER */
  list(filter?: WorkFilter): Promise<JobPage>;
  /** Counts unfinished jobs. */
  stats(): Promise<WorkStats>;
}
