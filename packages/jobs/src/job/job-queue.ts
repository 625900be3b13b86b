import type { Awaitable, InjectedValues, Injections, StandardSchema } from "@framework/core";
import { isPromise, mapAwaitable, toError } from "@framework/core/feature";
import {
  checkTogether,
  type Kernel,
  NonRetryableError,
  queueDefinition,
  type QueueOptions,
  type WorkHandler,
  type WorkItem,
  type WorkQueue,
  workRate,
} from "@framework/durable/feature";
import { rateLimit } from "../rate/rate-limit.ts";
import { RATE_TABLES, rateTables } from "../rate/rate-tables.ts";
import { validateInput } from "./checked-input.ts";
import { checkJobOptions } from "./job-mistakes.ts";
import type { HandlerInputOf, JobHandler, JobOptions } from "./job-options.ts";
import { inputIn, type JobPayload } from "./job-payload.ts";
import { type JobRun, toRun } from "./job-run.ts";

const KEEP_SECS = 3600;

const jobRate = workRate({ maxLimit: 1_000_000, maxPerSecs: 2_592_000 });

/** Returns the name of the queue of a job. */
const queueName = (name: string): string => `jobs:${name}`;

/** Defines the queue of a job. @throws ConfigurationError CORE_BAD_CONFIG, all mistakes together */
export const openJobQueue = <S extends StandardSchema | undefined, I extends Injections | undefined>(
  kernel: Kernel,
  name: string,
  options: JobOptions<S, I>,
  handler: JobHandler<S, I>,
): WorkQueue<JobPayload> => {
  const run = handler as AnyHandler<S, I>;
  const { input: schema, key: _key, uniqueKey: _uniqueKey, keepSecs = KEEP_SECS, rate, ...queue } = options;
  const definition: QueueOptions<JobPayload, I> = {
    ...queue,
    name: queueName(name),
    kind: "job",
    keepSecs,
    onExhausted: "keep",
    handle: ((item: WorkItem<JobPayload>, dependencies: InjectedValues<I>) =>
      // Synchronous if the schema is, because `Depends` works only until the first `await`.
      mapAwaitable(inputOf(name, schema, item.payload), (input) =>
        run(input as HandlerInputOf<S>, toRun(name, item), dependencies),
      )) as WorkHandler<JobPayload, I>,
  };
  const [, [checkedRate]] = checkTogether(
    () => checkJobOptions({ ...options }),
    () =>
      checkTogether(
        () => (rate === undefined ? null : jobRate(rate)),
        () => queueDefinition(definition),
      ),
  );
  if (checkedRate === null) return kernel.queue(definition);
  const admission = rateLimit(kernel.tables(RATE_TABLES, rateTables), name, checkedRate);
  return kernel.queue({ ...definition, admission });
};

/** A handler with or without dependencies. A handler without dependencies ignores the argument. */
type AnyHandler<S extends StandardSchema | undefined, I extends Injections | undefined> = (
  input: HandlerInputOf<S>,
  run: JobRun,
  dependencies: InjectedValues<I>,
) => Awaitable<unknown>;

/** Validates the stored input. If it no longer matches the schema, the job is not retried. */
const inputOf = (
  name: string,
  schema: StandardSchema | undefined,
  payload: JobPayload,
): Awaitable<unknown> => {
  try {
    const input = validateInput(name, schema, inputIn(payload));
    return isPromise(input) ? input.catch(rethrowBadInput) : input;
  } catch (error) {
    return rethrowBadInput(error);
  }
};

const rethrowBadInput = (error: unknown): never => {
  const { code, message } = toError(error) as Error & { readonly code?: unknown };
  if (code !== "JOBS_BAD_INPUT") throw error;
  throw new NonRetryableError(message, { code, cause: error });
};
