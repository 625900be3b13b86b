import type {
  Awaitable,
  DependenciesOf,
  Injections,
  InferInput,
  InferOutput,
  RetryPolicy,
  StandardSchema,
} from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import type { WorkRateInput } from "@framework/durable/feature";
import type { JobRun } from "./job-run.ts";

/** Input that callers pass to a job; `undefined` without a schema. */
export type InputOf<S extends StandardSchema | undefined> = S extends StandardSchema
  ? InferInput<S>
  : undefined;

/** Input of the handler: the output of the schema. */
export type HandlerInputOf<S extends StandardSchema | undefined> = S extends StandardSchema
  ? InferOutput<S>
  : undefined;

/** Options of a job. */
export interface JobOptions<
  S extends StandardSchema | undefined = undefined,
  I extends Injections | undefined = undefined,
> {
  /** Schema of the input, which is stored as JSON and validated when a job is enqueued and again when it runs. @default no input */
  readonly input?: S;
  /** Dependencies of the handler. @default none */
  readonly inject?: I;
  /** Attempts and delays. @default 5 attempts, up to 1 s, 4 s, 16 s and 64 s apart */
  readonly retry?: ConfigInput<RetryPolicy>;
  /** Whether to retry after an error; not called for a `NonRetryableError`. @default always */
  readonly isRetryable?: (error: unknown) => boolean;
  /** Time limit of one attempt in milliseconds, from 1 to a week. @default 60000 */
  readonly timeoutMs?: number;
  /** Maximum number of concurrent jobs of this name in one process, 1 to 1,000. @default 10 */
  readonly concurrency?: number;
  /**
   * Limits how many attempts begin in a period, over all processes and hosts: `{ limit: 100, perSecs: 60 }`. At most 1,000,000 in 30 days; a period
   * begins with the first attempt after the end of the previous one. @default no limit
   */
  readonly rate?: WorkRateInput;
  /** Returns the key of a job: jobs with the same key run one at a time, in the order in which they were added. `null` for none. @default none */
  readonly key?: (input: InputOf<S>) => string | null;
  /** Returns a key that only one unfinished job may have; a second job with it is not added. `null` for none. @default none */
  readonly uniqueKey?: (input: InputOf<S>) => string | null;
  /** How long done and cancelled jobs are kept with their results, in seconds; 0 removes done jobs at once. @default 3600 */
  readonly keepSecs?: number;
  /** How long failed jobs are kept, in seconds. @default 604800 */
  readonly keepFailedSecs?: number;
  /** The health check `queues` fails when jobs have been due, and no attempt has ended in this process, for this many seconds, at least 0.1. @default timeoutMs plus a minute */
  readonly stalledAfterSecs?: number;
  /** The health check `queues` fails when more jobs than this gave up in this process in the past hour. @default 100 */
  readonly maxGaveUpPerHour?: number;
}

/** Does the work of a job. The return value is the result; if it throws, the attempt has failed. */
export type JobHandler<S extends StandardSchema | undefined, I extends Injections | undefined> = [I] extends [
  undefined,
]
  ? (input: HandlerInputOf<S>, run: JobRun) => Awaitable<unknown>
  : (input: HandlerInputOf<S>, run: JobRun, dependencies: DependenciesOf<I>) => Awaitable<unknown>;
