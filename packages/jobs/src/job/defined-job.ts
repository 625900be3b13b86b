import { FrameworkError, type StandardSchema } from "@framework/core";
import {
  markHandled,
  isOptions,
  isPlainObject,
  isPromise,
  messageOf,
  describeInvalid,
} from "@framework/core/feature";
import type {
  EnqueuedItem,
  NewWork,
  UniqueItem,
  WorkFilter,
  WorkOptions,
  WorkQueue,
  WorkStats,
} from "@framework/durable/feature";
import { validateInput, validateInputAsync, storedInput } from "./checked-input.ts";
import { GroupedAdds } from "./grouped-adds.ts";
import type { EnqueueArguments, EnqueueOptions, Job, NewJob } from "./job.ts";
import { type JobInfo, type JobPage, toJobInfo } from "./job-info.ts";
import type { InputOf, JobOptions } from "./job-options.ts";
import type { JobPayload } from "./job-payload.ts";

/** The options of a definition that apply to each enqueued job. */
export type JobKeys<S extends StandardSchema | undefined> = Pick<
  JobOptions<S>,
  "input" | "key" | "uniqueKey"
>;

/** Returns the headers that continue the current trace; `null` outside one. */
export type TraceHeaders = () => Readonly<Record<string, string>> | null;

/** A job with its own queue. */
export class DefinedJob<S extends StandardSchema | undefined> implements Job<S> {
  readonly name: string;
  private readonly options: JobKeys<S>;
  private readonly opened: WorkQueue<JobPayload> | null;
  private readonly grouped: GroupedAdds | null;
  private readonly trace: TraceHeaders;

  /** @param queue `null` for an invalid job, whose mistake the start reports */
  constructor(name: string, options: JobKeys<S>, queue: WorkQueue<JobPayload> | null, trace: TraceHeaders) {
    this.name = name;
    this.options = options;
    this.trace = trace;
    this.opened = queue;
    this.grouped = queue === null ? null : new GroupedAdds(queue);
  }

  private get queue(): WorkQueue<JobPayload> {
    if (this.opened !== null) return this.opened;
    throw new FrameworkError(
      "JOBS_BAD_JOB",
      `jobs: the definition of "${this.name}" is invalid; the app's start reports the mistake`,
    );
  }

  enqueue(...[input, options = {}]: EnqueueArguments<InputOf<S>>): Promise<EnqueuedItem> {
    return markHandled(this.addOne(input as InputOf<S>, options));
  }

  enqueueAll(jobs: readonly NewJob<InputOf<S>>[], options?: WorkOptions): Promise<readonly EnqueuedItem[]> {
    return markHandled(this.addAll(jobs, options));
  }

  async cancel(job: string | UniqueItem, options?: WorkOptions): Promise<boolean> {
    return await this.queue.cancel(job, options);
  }

  async retry(id: string): Promise<boolean> {
    return await this.queue.retry(id);
  }

  async get(id: string): Promise<JobInfo | null> {
    const info = await this.queue.get(id);
    return info === null ? null : toJobInfo(this.name, info);
  }

  async list(filter?: WorkFilter): Promise<JobPage> {
    const { items, next } = await this.queue.list(filter);
    return { jobs: items.map((info) => toJobInfo(this.name, info)), next };
  }

  async stats(): Promise<WorkStats> {
    return await this.queue.stats();
  }

  /** Validates an input and returns its stored form. @throws FrameworkError JOBS_BAD_INPUT */
  async check(input: InputOf<S>): Promise<unknown> {
    const stored = storedInput(this.name, input);
    await validateInputAsync(this.name, this.options.input, stored);
    return stored;
  }

  /** Returns the error that `check` would throw; `null` for a valid input, or if the schema is asynchronous. */
  problemOf(input: InputOf<S>): Error | null {
    try {
      const checked = validateInput(this.name, this.options.input, storedInput(this.name, input));
      if (isPromise(checked)) checked.catch(() => {}); // `check` reports it
      return null;
    } catch (error) {
      return Error.isError(error) ? error : new Error(messageOf(error));
    }
  }

  private async addOne(input: InputOf<S>, options: EnqueueOptions): Promise<EnqueuedItem> {
    const isRecord: boolean = isOptions(options);
    if (!isRecord)
      throw this.badCall(`the options of enqueue must be an object, not ${describeInvalid(options)}`);
    const { tx, ...settings } = options;
    const work = await this.toWork({ ...settings, input });
    if (tx === undefined && this.grouped !== null) return await this.grouped.add(work);
    const [added] = await this.queue.enqueue(work, { tx });
    if (added === undefined) throw new Error("jobs: the queue added nothing");
    return added;
  }

  private async addAll(
    jobs: readonly NewJob<InputOf<S>>[],
    options?: WorkOptions,
  ): Promise<readonly EnqueuedItem[]> {
    const isList: boolean = Array.isArray(jobs) && jobs.every(isOptions);
    if (!isList) throw this.badCall("enqueueAll needs a list of objects such as { input, key }");
    const work = await Promise.all(jobs.map((job) => this.toWork(job)));
    return await this.queue.enqueue(work, options);
  }

  private badCall(problem: string): FrameworkError {
    return new FrameworkError("DURABLE_BAD_WORK", `jobs: ${problem} (job "${this.name}")`);
  }

  private async toWork({ input, ...settings }: NewJob<InputOf<S>>): Promise<NewWork<JobPayload>> {
    const { headers = {} } = settings;
    const trace = this.trace();
    const stored = await this.check(input);
    return {
      ...settings,
      ...(trace !== null && isPlainObject(headers) && { headers: { ...trace, ...headers } }),
      key: settings.key ?? this.options.key?.(input) ?? undefined,
      uniqueKey: settings.uniqueKey ?? this.options.uniqueKey?.(input) ?? undefined,
      payload: { input: stored },
    };
  }
}
