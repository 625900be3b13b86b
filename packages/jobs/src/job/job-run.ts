import type { WorkItem } from "@framework/durable/feature";

/** One attempt at a job, passed to its handler. */
export interface JobRun extends Pick<
  WorkItem<unknown>,
  "id" | "key" | "attempt" | "headers" | "createdAt" | "signal" | "invocation" | "progress" | "complete"
> {
  /** Name of the job. */
  readonly name: string;
  /** Name of the schedule that added the job; `null` for a job that the program enqueued, unless it passed on the `headers` of a scheduled one. */
  readonly schedule: string | null;
  /** The scheduled time in Unix milliseconds; `null` if `schedule` is. */
  readonly scheduledAt: number | null;
}

const SCHEDULE = "schedule";
const SCHEDULED_AT = "scheduled-at";

/** Returns the headers of a job that a schedule adds. */
export const scheduleHeaders = (schedule: string, at: number): Readonly<Record<string, string>> => ({
  [SCHEDULE]: schedule,
  [SCHEDULED_AT]: String(at),
});

/** Returns the run of an item. */
export const toRun = (name: string, item: WorkItem<unknown>): JobRun => {
  const { id, key, attempt, headers, createdAt } = item;
  const { [SCHEDULE]: schedule, [SCHEDULED_AT]: at } = headers;
  const isScheduled = schedule !== undefined && at !== undefined; // if only one is present, the caller has set it
  return {
    name,
    id,
    key,
    attempt,
    headers,
    createdAt,
    schedule: isScheduled ? schedule : null,
    scheduledAt: isScheduled ? Number(at) : null,
    get signal() {
      return item.signal;
    },
    get invocation() {
      return item.invocation;
    },
    progress: (value) => item.progress(value),
    complete: (tx, result) => item.complete(tx, result),
  };
};
