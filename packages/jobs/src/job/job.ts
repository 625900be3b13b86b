import type { StandardSchema } from "@framework/core";
import type {
  EnqueuedItem,
  NewWork,
  UniqueItem,
  WorkFilter,
  WorkOptions,
  WorkStats,
} from "@framework/durable/feature";
import type { JobInfo, JobPage } from "./job-info.ts";
import type { InputOf } from "./job-options.ts";

/** Time, priority, keys and headers of a job. `key` and `uniqueKey` take precedence over the keys of the definition. */
export type JobSettings = Omit<NewWork<unknown>, "payload">;

/** Options of `enqueue`. */
export interface EnqueueOptions extends JobSettings, WorkOptions {}

/** Arguments of `enqueue`: the input, optional if it may be `undefined`, and options. */
export type EnqueueArguments<Input> = undefined extends Input
  ? [input?: Input, options?: EnqueueOptions]
  : [input: Input, options?: EnqueueOptions];

/** One of many jobs to enqueue. */
export interface NewJob<Input> extends JobSettings {
  /** Input of the job, before its validation by the schema. */
  readonly input: Input;
}

/** A defined job: enqueues and manages its work. Usable in every process that defines it. */
export interface Job<S extends StandardSchema | undefined = StandardSchema | undefined> {
  /** Name of the job. */
  readonly name: string;
  /**
   * Adds a job. With `tx` it is added by that transaction: it runs after the commit, and never if the transaction is rolled back.
   *
   * If an unfinished job already has its unique key, `isNew` is `false` and `id` is that job's.
   *
   * @throws FrameworkError JOBS_BAD_INPUT; DURABLE_BAD_WORK for bad options; HttpError 503 (DURABLE_BUSY) when 10,000 adds with keys are waiting
   */
  enqueue(...args: EnqueueArguments<InputOf<S>>): Promise<EnqueuedItem>;
  /** Adds up to 10,000 jobs atomically; their inputs and headers may have up to 64 MiB in total. @throws the errors of `enqueue` */
  enqueueAll(jobs: readonly NewJob<InputOf<S>>[], options?: WorkOptions): Promise<readonly EnqueuedItem[]>;
  /**
   * Cancels the unfinished job with this id or unique key: it does not start, or if it is running, its signal aborts and its outcome is refused. Returns
   * whether there was one.
   */
  cancel(job: string | UniqueItem, options?: WorkOptions): Promise<boolean>;
  /** Restarts a failed or cancelled job, with its number of attempts reset. Returns `false` for any other job, and if its unique key is taken. */
  retry(id: string): Promise<boolean>;
  /** Returns a job with its progress, result or failure; `null` if it does not exist or is no longer kept. */
  get(id: string): Promise<JobInfo | null>;
  /** Lists jobs in the order in which they were added, or in reverse. @throws DURABLE_BAD_FILTER */
  list(filter?: WorkFilter): Promise<JobPage>;
  /** Counts unfinished jobs. */
  stats(): Promise<WorkStats>;
}
