export { jobs, type Jobs, type JobsMethods } from "./jobs.ts";
export type { EnqueueArguments, EnqueueOptions, Job, JobSettings, NewJob } from "./job/job.ts";
export type { HandlerInputOf, InputOf, JobHandler, JobOptions } from "./job/job-options.ts";
export type { JobRun } from "./job/job-run.ts";
export type { JobInfo, JobPage } from "./job/job-info.ts";
export type { ScheduleInfo, ScheduleOptions, ScheduleTimes } from "./schedules/schedule-options.ts";
export { jobsErrors } from "./error-codes.ts";
