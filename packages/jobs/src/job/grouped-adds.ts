import { FrameworkError, HttpError } from "@framework/core";
import type { EnqueuedItem, NewWork, WorkQueue } from "@framework/durable/feature";
import type { JobPayload } from "./job-payload.ts";

/** Maximum number of statements of one job in flight; further adds wait for one of them and share the next. */
const MAX_STATEMENTS_IN_FLIGHT = 2;
/** Maximum number of jobs in one statement. */
const MAX_GROUP = 1000;
/** Maximum number of waiting adds without keys, and separately of adds with keys. */
const MAX_WAITING = 10_000;

interface Waiting extends PromiseWithResolvers<EnqueuedItem> {
  readonly work: NewWork<JobPayload>;
}

/**
 * Group commit: concurrent callers add one job each, and their jobs share a statement, in the order of the calls. A statement costs much more than one of
 * its rows.
 */
export class GroupedAdds {
  private readonly queue: WorkQueue<JobPayload>;
  /** Adds in the order of the calls; adds before the index `start` were taken. */
  private waiting: Waiting[] = [];
  private start = 0;
  /** Adds that wait for a statement with the same key, by key. They are removed from `waiting`, so that other adds do not wait for them. */
  private readonly lanes = new Map<string, Waiting[]>();
  /** Keys of lanes whose statement has ended. */
  private readonly freeLanes = new Set<string>();
  private readonly keysInFlight = new Set<string>();
  private readonly counts = { keyed: 0, plain: 0 };
  private statementsInFlight = 0;
  private isPlanned = false;

  constructor(queue: WorkQueue<JobPayload>) {
    this.queue = queue;
  }

  /**
   * Adds a job, in a statement shared with other jobs where possible.
   *
   * Jobs with keys always wait for a group, which keeps their order. A job with a unique key has its own statement, because two statements with several unique
   * keys could deadlock. When 10,000 jobs without keys are waiting, further ones get separate statements, which the connection pool limits.
   *
   * @throws errors of `WorkQueue.enqueue`; HttpError 503 (DURABLE_BUSY) when 10,000 jobs with keys are waiting
   */
  add(work: NewWork<JobPayload>): Promise<EnqueuedItem> {
    const { key, uniqueKey } = work;
    if (key === undefined && (uniqueKey !== undefined || this.counts.plain >= MAX_WAITING))
      return this.addAlone(work);
    if (key !== undefined && this.counts.keyed >= MAX_WAITING) return Promise.reject(tooBusy());
    const each: Waiting = { work, ...Promise.withResolvers<EnqueuedItem>() };
    this.waiting.push(each);
    this.counts[key === undefined ? "plain" : "keyed"]++;
    this.plan();
    return each.promise;
  }

  private async addAlone(work: NewWork<JobPayload>): Promise<EnqueuedItem> {
    const [added] = await this.queue.enqueue(work);
    if (added === undefined) throw new Error("jobs: the queue added nothing");
    return added;
  }

  /** Schedules the next group for the end of this turn of the event loop, because callers whose adds have just ended usually add the next job in the same turn. */
  private plan(): void {
    if (this.isPlanned || this.statementsInFlight >= MAX_STATEMENTS_IN_FLIGHT) return;
    if (this.start === this.waiting.length && this.freeLanes.size === 0) return;
    this.isPlanned = true;
    setImmediate(() => {
      this.isPlanned = false;
      const group = this.nextGroup();
      if (group.length === 0) return;
      this.send(group);
      this.plan();
    });
  }

  /** Takes the first adds whose keys are not in flight: of two concurrent statements with one key, the later one could get its ids first. */
  private nextGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    for (const key of this.freeLanes) if (!this.takeLane(key, group)) break;
    for (; this.start < this.waiting.length; this.start++) {
      const each = this.waiting[this.start] as Waiting;
      if (this.joinsLane(each)) continue;
      if (!fits(group, each)) break;
      group.push(each);
    }
    if (this.start >= MAX_GROUP || this.start === this.waiting.length) {
      this.waiting = this.waiting.slice(this.start); // amortised: once per 1,000 adds, or with nothing to copy
      this.start = 0;
    }
    return group;
  }

  private takeLane(key: string, group: Waiting[]): boolean {
    const lane = this.lanes.get(key) ?? [];
    const end = lane.findIndex((each) => {
      const isFit = fits(group, each);
      if (isFit) group.push(each);
      return !isFit;
    });
    if (end === 0) return false;
    this.freeLanes.delete(key);
    if (end < 0) this.lanes.delete(key);
    else lane.splice(0, end);
    return true;
  }

  private joinsLane(each: Waiting): boolean {
    const { key } = each.work;
    if (key === undefined) return false;
    const lane = this.lanes.get(key);
    if (lane === undefined && !this.keysInFlight.has(key)) return false;
    if (lane === undefined) this.lanes.set(key, [each]);
    else lane.push(each);
    return true;
  }

  private send(group: readonly Waiting[]): void {
    const keys = new Set<string>();
    for (const { work } of group) {
      this.counts[work.key === undefined ? "plain" : "keyed"]--;
      if (work.key !== undefined) keys.add(work.key);
    }
    for (const key of keys) this.keysInFlight.add(key);
    this.statementsInFlight++;
    void this.write(group).finally(() => {
      for (const key of keys) {
        this.keysInFlight.delete(key);
        if (this.lanes.has(key)) this.freeLanes.add(key);
      }
      this.statementsInFlight--;
      this.plan();
    });
  }

  /** Adds the jobs of a group in one statement and settles their promises. Never rejects. */
  private async write(group: readonly Waiting[]): Promise<void> {
    try {
      const added = await this.queue.enqueue(group.map(({ work }) => work));
      for (const [at, { resolve, reject }] of group.entries()) {
        const own = added[at];
        if (own === undefined) reject(new Error("jobs: the queue added nothing"));
        else resolve(own);
      }
    } catch (error) {
      // Invalid or oversized work is rejected as a whole before the statement: add the halves of the group, one after the other.
      if (FrameworkError.is(error) && error.code === "DURABLE_BAD_WORK" && group.length > 1) {
        const half = Math.ceil(group.length / 2);
        await this.write(group.slice(0, half));
        await this.write(group.slice(half));
      } else for (const { reject } of group) reject(error);
    }
  }
}

/** Whether a job may share the statement of a group. */
const fits = (group: readonly Waiting[], { work }: Waiting): boolean =>
  group.length === 0 ||
  (group.length < MAX_GROUP && work.uniqueKey === undefined && group[0]?.work.uniqueKey === undefined);

const tooBusy = (): HttpError =>
  new HttpError(503, "Too many jobs are waiting", {
    code: "DURABLE_BUSY",
    headers: { "retry-after": "1" },
    cause: new Error(`jobs: ${MAX_WAITING} jobs with keys are waiting to be added; use enqueueAll for many`),
  });
