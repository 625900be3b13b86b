import { FrameworkError, type Logger, type Problem } from "@framework/core";
import { type Clock, messageOf, throttledLog } from "@framework/core/feature";
import { type Kernel, NonRetryableError, type WorkItem, type WorkQueue } from "@framework/durable/feature";
import { DatabaseUnavailableError, sql } from "@framework/database";
import type { RunRange, Schedule } from "./schedule.ts";
import type { ScheduleInfo } from "./schedule-options.ts";

/** The next run of a schedule, as an item of a queue that is due at that time. */
interface PlannedRun {
  readonly schedule: string;
  /** `Schedule.times` of the process that scheduled it. */
  readonly times: string;
  readonly at: number;
  /** The last range of times for which the schedule ran; `null` if it has not run. */
  readonly ran?: RunRange | null;
}

const QUEUE = "jobs.schedules";

/** Maximum number of attempts, up to a minute apart, at a run of an unknown schedule: a new version of the app that defines it may still be starting. */
const MAX_UNKNOWN_ATTEMPTS = 20;

/** Maximum number of attempts to schedule a run while other processes change it concurrently. */
const MAX_PLAN_ATTEMPTS = 10;

/** Interval of checks for runs that were scheduled too late because the database's clock was ahead. */
const CHECK_MS = 60_000;

/** Minimum time between two log lines about an unavailable database, which its health check reports as well. */
const UNAVAILABLE_LOG_MS = 600_000;

/**
 * The schedules of an app. The next run of each is an item in the queue `jobs.schedules`, due at the run's time, with the schedule's name as its unique key.
 * The process that claims it adds the job, completes the item and adds the next one in one transaction, so that each run happens once.
 */
export class Schedules {
  private readonly kernel: Kernel;
  private readonly clock: Clock;
  private readonly schedules = new Map<string, Schedule>();
  private opened: WorkQueue<PlannedRun> | null = null;
  private isChecking = false;
  private hasEnded = false;
  private cancelChecks = (): void => {};
  private readonly log: () => Logger;
  private readonly logUnavailable: ReturnType<typeof throttledLog>;

  constructor(kernel: Kernel, clock: Clock, log: () => Logger) {
    this.kernel = kernel;
    this.clock = clock;
    this.log = log;
    this.logUnavailable = throttledLog({ everyMs: UNAVAILABLE_LOG_MS, clock });
  }

  has(name: string): boolean {
    return this.schedules.has(name);
  }

  add(schedule: Schedule): void {
    this.schedules.set(schedule.name, schedule);
    this.opened ??= this.kernel.queue<PlannedRun>({
      name: QUEUE,
      kind: "schedule",
      retry: { attempts: 1000, delayMs: 1000, factor: 2, maxDelayMs: 60_000 },
      keepFailedSecs: 86_400,
      onExhausted: "keep",
      handle: (item) => this.start(item),
    });
  }

  /** Returns the mistakes in the inputs of schedules, except inputs with an asynchronous schema. */
  problems(): readonly Problem[] {
    return Array.from(this.schedules.values()).flatMap(({ name, job }) => {
      const problem = job.problem();
      return problem === null ? [] : [badInput(name, problem)];
    });
  }

  /**
   * Schedules the next run of every schedule that has none, whose next run was scheduled by a version of the app with other times, or whose scheduled run is
   * too late. In a process that runs work, the last condition is checked again every minute.
   *
   * @throws JOBS_BAD_SCHEDULE for an input that does not match the schema of its job
   */
  async begin(): Promise<void> {
    for (const schedule of this.schedules.values()) {
      await schedule.job.check().catch((cause: unknown) => {
        const { code, message } = badInput(schedule.name, cause);
        throw new FrameworkError(code, message, { cause });
      });
      await this.plan(schedule);
    }
    if (this.schedules.size > 0 && this.kernel.runsWork && !this.hasEnded)
      this.cancelChecks = this.clock.every(CHECK_MS, () => void this.checkRuns());
  }

  /** Stops the checks. */
  end(): void {
    this.hasEnded = true;
    this.cancelChecks();
  }

  async list(): Promise<readonly ScheduleInfo[]> {
    const infos: ScheduleInfo[] = [];
    for (const { name, cron, zone, job } of this.schedules.values()) {
      const nextRunAt = (await this.plannedRun(name).catch(beforeStart))?.at ?? null;
      infos.push({ name, cron, timeZone: zone.name, job: job.name, nextRunAt });
    }
    return infos;
  }

  private get queue(): WorkQueue<PlannedRun> {
    if (this.opened === null) throw new Error("jobs: no schedule was added");
    return this.opened;
  }

  private async plannedRun(name: string): Promise<PlannedRun | null> {
    const info = await this.queue.get({ uniqueKey: name });
    return info === null ? null : (info.payload as PlannedRun);
  }

  private async checkRuns(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      for (const schedule of this.schedules.values()) {
        const run = await this.plannedRun(schedule.name);
        if (run?.times !== schedule.times) continue;
        const now = await this.now(); // read after the run: with an earlier `now`, a run that another process has just scheduled could seem too late
        if (run.at > schedule.nextAfter(now, run.ran ?? null)) await this.plan(schedule);
      }
    } catch (error) {
      this.reportFailedCheck(error); // the next check is in a minute
    }
    this.isChecking = false;
  }

  private reportFailedCheck(error: unknown): void {
    if (this.hasEnded) return;
    const message = "jobs: a check of the scheduled runs has failed; the next one is in a minute";
    if (!(error instanceof DatabaseUnavailableError)) this.log().error(message, { error });
    else this.logUnavailable((omitted) => this.log().warn(message, { error, omitted }));
  }

  private async plan(schedule: Schedule): Promise<void> {
    const { queue } = this;
    for (let attempt = 0; attempt < MAX_PLAN_ATTEMPTS; attempt++) {
      const [added] = await queue.enqueue(workFor(schedule, schedule.nextAfter(await this.now())));
      if (added === undefined || added.isNew) return;
      const info = await queue.get(added.id);
      if (info === null) continue; // it has just started, and the next one is scheduled
      const planned = info.payload as PlannedRun;
      const isByTheseTimes = planned.times === schedule.times;
      const ran = isByTheseTimes ? (planned.ran ?? null) : null;
      const next = schedule.nextAfter(await this.now(), ran);
      if (isByTheseTimes && planned.at <= next) return;
      const isReplaced = await this.kernel.db.transaction(async (tx) => {
        if (!(await queue.cancel(added.id, { tx }))) return false;
        await queue.enqueue(workFor(schedule, next, ran), { tx });
        return true;
      });
      if (isReplaced) return;
    }
    throw new Error(
      `jobs: the schedule "${schedule.name}" could not be stored, because other processes keep changing it`,
    );
  }

  /** Starts a run and schedules the next one, also if another version of the app scheduled the run. */
  private async start(item: WorkItem<PlannedRun>): Promise<void> {
    const { schedule: name, times, at } = item.payload;
    const schedule = this.schedules.get(name);
    if (schedule === undefined) throw unknownSchedule(name, item.attempt);
    const now = await this.now();
    const before = times === schedule.times ? (item.payload.ran ?? null) : null;
    const run = times === schedule.times ? schedule.runAt(at, now, before) : at;
    const ran = run === null ? before : schedule.extend(before, run);
    await this.kernel.db.transaction(async (tx) => {
      await item.complete(tx);
      if (run !== null) await schedule.enqueue(run, tx);
      await this.queue.enqueue(workFor(schedule, schedule.nextAfter(Math.max(now, at), ran), ran), { tx });
    });
  }

  private async now(): Promise<number> {
    return (await this.kernel.db.fetchValue<number>(sql`SELECT ${this.kernel.now} AS now`)) ?? 0;
  }
}

/** Returns `null` if the error is that the tables do not exist: an app that never started has no runs. */
const beforeStart = (error: unknown): null => {
  if (FrameworkError.is(error) && error.code === "DURABLE_TABLES_MISSING") return null;
  throw error;
};

const badInput = (schedule: string, problem: unknown): Problem => ({
  code: "JOBS_BAD_SCHEDULE",
  message: `schedule ${schedule}: ${messageOf(problem)}`,
});

const workFor = ({ name, times }: Schedule, at: number, ran: RunRange | null = null) => ({
  payload: { schedule: name, times, at, ran },
  uniqueKey: name,
  runAt: at,
});

const unknownSchedule = (name: string, attempt: number): Error => {
  const message = `jobs: this process does not define the schedule "${name}"`;
  return attempt < MAX_UNKNOWN_ATTEMPTS
    ? new Error(message)
    : new NonRetryableError(message, { code: "JOBS_UNKNOWN_SCHEDULE" });
};
