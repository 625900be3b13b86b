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
  /** Returns what `check` would throw; `null` for nothing, or for a schema that answers later. */
  problem(): Error | null;
  enqueue(headers: Readonly<Record<string, string>>, tx: Transaction): Promise<unknown>;
}

/** The times of a schedule that ran last, without a gap between them: in milliseconds since 1970, both included. */
export interface Ran {
  readonly from: number;
  readonly to: number;
}

/** A run that is at most this late was not missed: processes look for work every second or so. */
const PUNCTUAL_MS = 60_000;

/** A schedule that was defined. */
export class Schedule {
  readonly name: string;
  readonly cron: string;
  readonly zone: TimeZone;
  readonly job: ScheduledJob;
  private readonly expression: CronExpression;
  private readonly missed: "once" | "skip";

  /** @throws Error whose message is the mistake as a clause */
  constructor(name: string, { cron, timeZone = "UTC", missed = "once" }: ScheduleTimes, job: ScheduledJob) {
    this.name = name;
    this.cron = cron;
    this.expression = parseCron(cron);
    this.zone = zoneNamed(timeZone);
    this.missed = missed;
    this.job = job;
    if (nextRun(this.expression, this.zone, firstYear) === null) throw new Error(`"${cron}" never runs`);
    if (!["once", "skip"].includes(missed))
      throw new Error(`missed is "once" or "skip", not ${JSON.stringify(missed)}`);
  }

  /** Identifies the times of its runs: changes with the expression and the zone. */
  get times(): string {
    return `${this.cron} ${this.zone.name}`;
  }

  /** Returns the first run after an instant, without those of `ran`: they lie ahead when the database's clock was set back. */
  nextAfter(instant: number, ran: Ran | null = null): number {
    const next = nextRun(this.expression, this.zone, instant);
    if (next === null) throw new Error(`jobs: the schedule "${this.name}" has no run any more`);
    return ran !== null && isIn(next, ran) ? this.nextAfter(ran.to) : next;
  }

  /** Returns the run to start now, if the first one that was not started was due at `due`; `null` for none. */
  runAt(due: number, now: number, ran: Ran | null): number | null {
    const run = lastRun(this.expression, this.zone, due, now) ?? due;
    if (ran !== null && isIn(run, ran)) return null;
    return this.missed === "skip" && now - run > PUNCTUAL_MS ? null : run;
  }

  /** The times that ran, after one more. While they lie ahead, they stay as they are. */
  after(ran: Ran | null, run: number): Ran {
    if (ran === null) return { from: run, to: run };
    if (run <= ran.to) return ran;
    return { from: this.nextAfter(ran.to) === run ? ran.from : run, to: run };
  }

  /** Adds its job for a run. */
  async enqueue(run: number, tx: Transaction): Promise<void> {
    await this.job.enqueue(scheduleHeaders(this.name, run), tx);
  }
}

const isIn = (run: number, { from, to }: Ran): boolean => run >= from && run <= to;

const firstYear = Date.UTC(2026, 0, 1);

const zoneNamed = (name: string): TimeZone => {
  try {
    return new TimeZone(name);
  } catch {
    throw new Error(`the time zone "${name}" is unknown; use a name such as Europe/Berlin`);
  }
};
