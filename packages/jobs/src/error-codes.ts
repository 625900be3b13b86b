import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const jobsErrors: ErrorCatalogue = {
  JOBS_BAD_JOB: {
    summary: "a job has a bad name, option or handler; the app does not start",
    action: "correct the mistake that the message describes",
  },
  JOBS_BAD_SCHEDULE: {
    summary:
      "a schedule has a bad name, expression, time zone, job or input, or its expression never matches; the app does not start",
    action: "correct the mistake that the message describes",
  },
  JOBS_BAD_INPUT: {
    summary:
      "an input does not match the schema of its job, or has a value that JSON cannot represent, such as a `Map` or `NaN`",
    action:
      "pass a valid input; a job that was enqueued before the schema changed fails without another attempt",
  },
  JOBS_UNKNOWN_SCHEDULE: {
    summary: "a run of a schedule gave up, because no process defines the schedule",
    action: "define the schedule in a process that runs work, unless it was removed on purpose",
  },
};
