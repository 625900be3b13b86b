import { describeInvalid } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import { type CronExpression, parseCron } from "../cron/cron-expression.ts";
import { lastRun, nextRun } from "../cron/next-run.ts";
import { TimeZone } from "../cron/time-zone.ts";
import { scheduleHeaders } from "../job/job-run.ts";
import type { ScheduleTimes } from "./schedule-options.ts";

/** The job of a schedule. */
export interface ScheduledJob {
  readonly name: string;
  /** Checks the input of every run. @throws FrameworkError JOBS_BAD_INPUT */
  check(): Promise<unknown>;
  /** Returns the error that `check` would throw; `null` for a valid input, or if the schema is asynchronous. */
  problem(): Error | null;
  enqueue(headers: Readonly<Record<string, string>>, tx: Transaction): Promise<unknown>;
}

/** The last uninterrupted range of times for which a schedule ran, in Unix milliseconds, both inclusive. */
export interface RunRange {
  readonly from: number;
  readonly to: number;
}

/** Delay after which a run counts as missed; more than a poll, which happens about every second. */
const MISSED_AFTER_MS = 60_000;

/** A defined schedule. */
export class Schedule {
  readonly name: string;
  readonly cron: string;
  readonly zone: TimeZone;
  readonly job: ScheduledJob;
  private readonly expression: CronExpression;
  private readonly missed: "once" | "skip";

  /** @throws Error whose message describes the mistake */
  constructor(name: string, { cron, timeZone = "UTC", missed = "once" }: ScheduleTimes, job: ScheduledJob) {
    const isText: boolean = typeof cron === "string";
    if (!isText)
      throw new Error(`its cron must be a string, such as "30 6 * * mon", not ${describeInvalid(cron)}`);
    this.name = name;
    this.cron = cron;
    this.expression = parseCron(cron);
    this.zone = toTimeZone(timeZone);
    this.missed = missed;
    this.job = job;
    if (nextRun(this.expression, this.zone, firstYear) === null) throw new Error(`"${cron}" never runs`);
    if (!["once", "skip"].includes(missed))
      throw new Error(`missed must be "once" or "skip", not ${JSON.stringify(missed)}`);
  }

  /** Identifies the times of its runs by the expression and the zone. */
  get times(): string {
    return `${this.cron} ${this.zone.name}`;
  }

  /** Returns the first run after an instant, except runs in `ran`, which can be in the future if the database's clock was set back. */
  nextAfter(instant: number, ran: RunRange | null = null): number {
    const next = nextRun(this.expression, this.zone, instant);
    if (next === null) throw new Error(`jobs: the schedule "${this.name}" has no further run`);
    return ran !== null && isIn(next, ran) ? this.nextAfter(ran.to) : next;
  }

  /** Returns the run to start now; `null` for none. @param due time of the first run that was not started */
  runAt(due: number, now: number, ran: RunRange | null): number | null {
    const run = lastRun(this.expression, this.zone, due, now) ?? due;
    if (ran !== null && isIn(run, ran)) return null;
    return this.missed === "skip" && now - run > MISSED_AFTER_MS ? null : run;
  }

  /** Returns `ran` extended by a run; unchanged if the run is not later than `ran`, which happens after the clock was set back. */
  extend(ran: RunRange | null, run: number): RunRange {
    if (ran === null) return { from: run, to: run };
    if (run <= ran.to) return ran;
    return { from: this.nextAfter(ran.to) === run ? ran.from : run, to: run };
  }

  /** Adds its job for a run. */
  async enqueue(run: number, tx: Transaction): Promise<void> {
    await this.job.enqueue(scheduleHeaders(this.name, run), tx);
  }
}

const isIn = (run: number, { from, to }: RunRange): boolean => run >= from && run <= to;

const firstYear = Date.UTC(2026, 0, 1);

const toTimeZone = (name: string): TimeZone => {
  try {
    return new TimeZone(name);
  } catch {
    throw new Error(`the time zone "${name}" is unknown; use a name such as Europe/Berlin`);
  }
};
