import { FrameworkError, HttpError } from "@framework/core";
import type { Enqueued, NewWork, WorkQueue } from "@framework/durable/feature";
import type { JobPayload } from "./job-payload.ts";

/** Statements that one job has in flight; further adds wait for one of them, and share the next. */
const MAX_STATEMENTS_IN_FLIGHT = 2;
/** Most jobs of one statement. */
const MAX_GROUP = 1000;
/** Adds without keys that wait at most, and adds with keys. */
const MAX_WAITING = 10_000;

interface Waiting extends PromiseWithResolvers<Enqueued> {
  readonly work: NewWork<JobPayload>;
}

/**
 * Group commit: adds one job for each caller, and those of callers at the same time with one statement, in the order in which they came. A statement costs
 * much more than a row of it.
 */
export class GroupedAdds {
  private readonly queue: WorkQueue<JobPayload>;
  /** Adds in the order of the calls; those before `start` were taken. */
  private waiting: Waiting[] = [];
  private start = 0;
  /** Adds that wait for a statement with their key, by key: taken out of `waiting`, so that the others do not wait for them. */
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
   * Jobs with keys always wait for their statement, which keeps their order. One with a unique key has its own: two statements with several of them could wait
   * for each other. When 10,000 jobs without keys wait, further ones get statements of their own, which the pool of connections limits.
   *
   * @throws as `WorkQueue.enqueue`; HttpError 503 (DURABLE_BUSY) when 10,000 jobs with keys wait
   */
  add(work: NewWork<JobPayload>): Promise<Enqueued> {
    const { key, uniqueKey } = work;
    if (key === undefined && (uniqueKey !== undefined || this.counts.plain >= MAX_WAITING))
      return this.addAlone(work);
    if (key !== undefined && this.counts.keyed >= MAX_WAITING) return Promise.reject(tooBusy());
    const each: Waiting = { work, ...Promise.withResolvers<Enqueued>() };
    this.waiting.push(each);
    this.counts[key === undefined ? "plain" : "keyed"]++;
    this.plan();
    return each.promise;
  }

  private async addAlone(work: NewWork<JobPayload>): Promise<Enqueued> {
    const [added] = await this.queue.enqueue(work);
    if (added === undefined) throw new Error("jobs: the queue added nothing");
    return added;
  }

  /** Callers whose adds have just ended usually add the next ones in the same turn of the event loop. */
  private plan(): void {
    if (this.isPlanned || this.statementsInFlight >= MAX_STATEMENTS_IN_FLIGHT) return;
    if (this.start === this.waiting.length && this.freeLanes.size === 0) return;
    this.isPlanned = true;
    setImmediate(() => {
      this.isPlanned = false;
      const group = this.nextGroup();
      if (group.length === 0) return;
      this.fly(group);
      this.plan();
    });
  }

  /** Takes the first adds that may go now: of two statements with one key, on two connections, the later one could draw its ids first. */
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
      this.waiting = this.waiting.slice(this.start); // once per 1,000 adds, or with nothing to copy
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

  private fly(group: readonly Waiting[]): void {
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

  /** Never rejects. */
  private async write(group: readonly Waiting[]): Promise<void> {
    try {
      const added = await this.queue.enqueue(group.map(({ work }) => work));
      for (const [at, { resolve, reject }] of group.entries()) {
        const own = added[at];
        if (own === undefined) reject(new Error("jobs: the queue added nothing"));
        else resolve(own);
      }
    } catch (error) {
      // Bad work is refused before the statement, all of it, and so is too much at once: halves of the group are tried, one after the other.
      if (FrameworkError.is(error) && error.code === "DURABLE_BAD_WORK" && group.length > 1) {
        const half = Math.ceil(group.length / 2);
        await this.write(group.slice(0, half));
        await this.write(group.slice(half));
      } else for (const { reject } of group) reject(error);
    }
  }
}

/** A unique key has its own statement. */
const fits = (group: readonly Waiting[], { work }: Waiting): boolean =>
  group.length === 0 ||
  (group.length < MAX_GROUP && work.uniqueKey === undefined && group[0]?.work.uniqueKey === undefined);

const tooBusy = (): HttpError =>
  new HttpError(503, "Too many jobs are waiting", {
    code: "DURABLE_BUSY",
    headers: { "retry-after": "1" },
    cause: new Error(`jobs: ${MAX_WAITING} jobs with keys wait to be added; use enqueueAll for many`),
  });
