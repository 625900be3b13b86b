import type { WorkInfo } from "@framework/durable/feature";
import { inputIn } from "./job-payload.ts";

/** A job, for programs and operators. Times are Unix milliseconds. */
export interface JobInfo extends Omit<WorkInfo, "queue" | "payload"> {
  /** Name of the job. */
  readonly name: string;
  /** The stored input: JSON data as it was enqueued, not the output of the schema. */
  readonly input: unknown;
}

/** A page of jobs. */
export interface JobPage {
  /** The jobs, in the order of the filter: oldest first by default. */
  readonly jobs: readonly JobInfo[];
  /** `after` of the next page; `null` after the last. */
  readonly next: string | null;
}

/** Converts a work item to a job. */
export const toJobInfo = (name: string, { queue: _queue, payload, ...rest }: WorkInfo): JobInfo => ({
  name,
  input: inputIn(payload),
  ...rest,
});
