import { FrameworkError, type Problem } from "@framework/core";
import { type Clock, messageOf } from "@framework/core/feature";
import { type Kernel, NonRetryableError, type WorkItem, type WorkQueue } from "@framework/durable/feature";
import { sql } from "@framework/database";
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
const MAX_LISTED = 1000;

/** Attempts, about a minute apart, at a run of a schedule that no process knows: an app's new version may have just begun to start. */
const MAX_UNKNOWN = 20;

/** Attempts to plan a run that another process is just starting. */
const MAX_PLANS = 10;

/** Time between two looks for runs that a clock that was ahead has planned. */
const LOOK_MS = 60_000;

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
  private cancelLooks = (): void => {};

  constructor(kernel: Kernel, clock: Clock) {
    this.kernel = kernel;
    this.clock = clock;
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
    this.cancelLooks();
  }

  async list(): Promise<readonly ScheduleInfo[]> {
    const planned = await this.planned();
    return Array.from(this.schedules.values(), ({ name, cron, zone, job }) => ({
      name,
      cron,
      timeZone: zone.name,
      job: job.name,
      nextRunAt: planned.get(name)?.at ?? null,
    }));
  }

  private get queue(): WorkQueue<PlannedRun> {
    if (this.opened === null) throw new Error("jobs: no schedule was added");
    return this.opened;
  }

  private async planned(): Promise<ReadonlyMap<string, PlannedRun>> {
    const items = (await this.opened?.list({ limit: MAX_LISTED }))?.items ?? [];
    return new Map(
      items
        .filter(({ finishedAt }) => finishedAt === null)
        .map(({ payload }) => payload as PlannedRun)
        .map((run) => [run.schedule, run]),
    );
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const planned = await this.planned();
      const now = await this.now(); // after the plans were read: a plan is never later than the first run after it
      for (const schedule of this.schedules.values()) {
        const run = planned.get(schedule.name);
        if (run?.times === schedule.times && run.at > schedule.nextAfter(now, run.ran ?? null))
          await this.plan(schedule);
      }
    } catch {
      // a database that is away is reported by its own check; the next look comes in a minute
    }
    this.isLooking = false;
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
