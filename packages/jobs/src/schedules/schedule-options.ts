import type { StandardSchema } from "@framework/core";
import type { Job } from "../job/job.ts";
import type { InputOf } from "../job/job-options.ts";

/** Times of a schedule. */
export interface ScheduleTimes {
  /**
   * Minute, hour, day of the month, month, day of the week; or `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly`, `@annually`.
   *
   * Sunday is 0 or 7. As in POSIX, if neither day field begins with `*`, a day need only match one of them.
   */
  readonly cron: string;
  /** IANA time zone of `cron`, such as `Europe/Berlin`. @default "UTC" */
  readonly timeZone?: string;
  /** Treatment of runs that were due while no process was running: `once` runs the last one late, `skip` omits it if it is more than a minute late. @default "once" */
  readonly missed?: "once" | "skip";
}

/** Options of a schedule. */
export interface ScheduleOptions<S extends StandardSchema | undefined> extends ScheduleTimes {
  /** Job that each run adds. */
  readonly job: Job<S>;
  /** Input of the job. @default none */
  readonly input?: InputOf<S>;
}

/** A schedule, for programs and operators. */
export interface ScheduleInfo {
  /** Name of the schedule. */
  readonly name: string;
  /** Cron expression: five fields, or a name such as `@daily`. */
  readonly cron: string;
  /** Time zone of the expression, such as `Europe/Paris`. */
  readonly timeZone: string;
  /** Name of the job. */
  readonly job: string;
  /** The next run, in Unix milliseconds; `null` before the app has started. */
  readonly nextRunAt: number | null;
}
