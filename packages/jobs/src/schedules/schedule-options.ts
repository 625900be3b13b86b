import type { StandardSchema } from "@framework/core";
import type { Job } from "../job/job.ts";
import type { InputOf } from "../job/job-options.ts";

/** When a schedule runs its job. */
export interface ScheduleTimes {
  /**
   * Minute, hour, day of the month, month, day of the week; or `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly`, `@annually`.
   *
   * Sunday is 0 and 7. As in POSIX, a day matches either of the two day fields when neither begins with `*`.
   */
  readonly cron: string;
  /** Time zone of the IANA database in which `cron` is read, such as `Europe/Berlin`. @default "UTC" */
  readonly timeZone?: string;
  /** Treatment of runs that were due while no process ran: the last one is run late, or none if it is more than a minute late. @default "once" */
  readonly missed?: "once" | "skip";
}

/** Options of a schedule. */
export interface ScheduleOptions<S extends StandardSchema | undefined> extends ScheduleTimes {
  /** Job that each run adds. */
  readonly job: Job<S>;
  /** Input of the job. @default none */
  readonly input?: InputOf<S>;
}

/** A schedule as programs and operators see it. */
export interface ScheduleInfo {
  /** Name of the schedule. */
  readonly name: string;
  /** When it fires: five fields, or a name such as `@daily`. */
  readonly cron: string;
  /** Time zone of the fields, such as `Europe/Paris`. */
  readonly timeZone: string;
  /** Name of the job. */
  readonly job: string;
  /** The next run, in milliseconds since 1970; `null` before the app has started. */
  readonly nextRunAt: number | null;
}
