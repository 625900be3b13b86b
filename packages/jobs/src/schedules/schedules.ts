import { FrameworkError, type Logger, type Problem } from "@framework/core";
import { type Clock, messageOf, throttledLog } from "@framework/core/feature";
import { type Kernel, NonRetryableError, type WorkItem, type WorkQueue } from "@framework/durable/feature";
import { DatabaseUnavailableError, sql } from "@framework/database";
import type { Ran, Schedule } from "./schedule.ts";
import type { ScheduleInfo } from "./schedule-options.ts";

/** The next run of a schedule, as an item of a queue that is due at that time. */
interface PlannedRun {
  readonly schedule: string;
  /** `Schedule.times` of the process that planned it. */
  readonly times: string;
  readonly at: number;
  /** The times of the schedule that ran last; `null` when none did. */
  readonly ran?: Ran | null;
}

const QUEUE = "jobs.schedules";

/** Attempts, about a minute apart, at a run of a schedule that no process knows: an app's new version may have just begun to start. */
const MAX_UNKNOWN = 20;

/** Attempts to plan a run that another process is just starting. */
const MAX_PLANS = 10;

/** Time between two looks for runs that a clock that was ahead has planned. */
const LOOK_MS = 60_000;

/** Time between two lines of the log about a database that is away: its own check reports it too. */
const AWAY_LOG_MS = 600_000;

/**
 * The schedules of an app. The next run of each is one item in the queue `jobs.schedules`, unique by the schedule's name, and due when the run is. The
 * process that claims it adds the job, removes the item and adds the one of the run after, in one transaction: each run happens once.
 */
export class Schedules {
  private readonly kernel: Kernel;
  private readonly clock: Clock;
  private readonly schedules = new Map<string, Schedule>();
  private opened: WorkQueue<PlannedRun> | null = null;
  private isLooking = false;
  private hasEnded = false;
  private cancelLooks = (): void => {};
  private readonly log: () => Logger;
  private readonly logAway: ReturnType<typeof throttledLog>;

  constructor(kernel: Kernel, clock: Clock, log: () => Logger) {
    this.kernel = kernel;
    this.clock = clock;
    this.log = log;
    this.logAway = throttledLog({ everyMs: AWAY_LOG_MS, clock });
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

  /** Mistakes in the inputs of schedules, without those that a schema finds only later. */
  problems(): readonly Problem[] {
    return Array.from(this.schedules.values()).flatMap(({ name, job }) => {
      const problem = job.problem();
      return problem === null ? [] : [badInput(name, problem)];
    });
  }

  /**
   * Plans the next run of every schedule that has none, that another version of the app has planned by other times, or whose planned run is later
   * than its next one. That is looked for each minute from then on.
   */
  async begin(): Promise<void> {
    for (const schedule of this.schedules.values()) {
      await schedule.job.check().catch((cause: unknown) => {
        const { code, message } = badInput(schedule.name, cause);
        throw new FrameworkError(code, message, { cause });
      });
      await this.plan(schedule);
    }
    if (this.schedules.size > 0 && this.kernel.runsWork)
      this.cancelLooks = this.clock.every(LOOK_MS, () => void this.look());
  }

  /** Ends the looks. */
  end(): void {
    this.hasEnded = true;
    this.cancelLooks();
  }

  async list(): Promise<readonly ScheduleInfo[]> {
    const infos: ScheduleInfo[] = [];
    for (const { name, cron, zone, job } of this.schedules.values()) {
      const nextRunAt = (await this.planned(name))?.at ?? null;
      infos.push({ name, cron, timeZone: zone.name, job: job.name, nextRunAt });
    }
    return infos;
  }

  private get queue(): WorkQueue<PlannedRun> {
    if (this.opened === null) throw new Error("jobs: no schedule was added");
    return this.opened;
  }

  private async planned(name: string): Promise<PlannedRun | null> {
    const info = await this.queue.get({ uniqueKey: name });
    return info === null ? null : (info.payload as PlannedRun);
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      for (const schedule of this.schedules.values()) {
        const run = await this.planned(schedule.name);
        if (run?.times !== schedule.times) continue;
        const now = await this.now(); // after the plan was read: a plan is never later than the first run after it
        if (run.at > schedule.nextAfter(now, run.ran ?? null)) await this.plan(schedule);
      }
    } catch (error) {
      this.lookFailed(error); // the next look comes in a minute
    }
    this.isLooking = false;
  }

  private lookFailed(error: unknown): void {
    if (this.hasEnded) return;
    const message =
      "jobs: a look at the planned runs of the schedules has failed; the next one is in a minute";
    if (!(error instanceof DatabaseUnavailableError)) this.log().error(message, { error });
    else this.logAway((omitted) => this.log().warn(message, { error, omitted }));
  }

  private async plan(schedule: Schedule): Promise<void> {
    const { queue } = this;
    for (let attempt = 0; attempt < MAX_PLANS; attempt++) {
      const [added] = await queue.enqueue(workFor(schedule, schedule.nextAfter(await this.now())));
      if (added === undefined || added.isNew) return;
      const info = await queue.get(added.id);
      if (info === null) continue; // it has just started, and the next one is planned
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
    throw new Error(`jobs: the schedule "${schedule.name}" is changed by other processes all the time`);
  }

  /** Starts a run. A run that another version of the app has planned is started as well; the next one is planned by this version. */
  private async start(item: WorkItem<PlannedRun>): Promise<void> {
    const { schedule: name, times, at } = item.payload;
    const schedule = this.schedules.get(name);
    if (schedule === undefined) throw unknown(name, item.attempt);
    const now = await this.now();
    const before = times === schedule.times ? (item.payload.ran ?? null) : null;
    const run = times === schedule.times ? schedule.runAt(at, now, before) : at;
    const ran = run === null ? before : schedule.after(before, run);
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

const badInput = (schedule: string, problem: unknown): Problem => ({
  code: "JOBS_BAD_SCHEDULE",
  message: `schedule ${schedule}: ${messageOf(problem)}`,
});

const workFor = ({ name, times }: Schedule, at: number, ran: Ran | null = null) => ({
  payload: { schedule: name, times, at, ran },
  uniqueKey: name,
  runAt: at,
});

const unknown = (name: string, attempt: number): Error => {
  const message = `jobs: this process knows no schedule "${name}"`;
  return attempt < MAX_UNKNOWN
    ? new Error(message)
    : new NonRetryableError(message, { code: "JOBS_UNKNOWN_SCHEDULE" });
};
