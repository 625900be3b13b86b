import { FrameworkError } from "@framework/core";
import type { Enqueued, NewWork, WorkQueue } from "@framework/durable/feature";
import type { JobPayload } from "./job-payload.ts";

/** Statements that one job has in flight, one of them with keys; further adds wait for one of them, and go together. */
const MAX_FLIGHTS = 2;
/** Most jobs of one statement. */
const MAX_GROUP = 1000;
/** Adds without keys that wait at most; others get statements of their own, which the pool of connections limits. */
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
  private waiting: Waiting[] = [];
  private flights = 0;
  private isKeyedInFlight = false;
  private isPlanned = false;

  constructor(queue: WorkQueue<JobPayload>) {
    this.queue = queue;
  }

  /**
   * Jobs with keys always wait for their statement, which keeps their order. One with a unique key has its own: two statements with several of them could wait
   * for each other.
   *
   * @throws as `WorkQueue.enqueue`
   */
  add(work: NewWork<JobPayload>): Promise<Enqueued> {
    const isOutOfLine = work.uniqueKey !== undefined || this.waiting.length >= MAX_WAITING;
    if (work.key === undefined && isOutOfLine) return this.addAlone(work);
    const each: Waiting = { work, ...Promise.withResolvers<Enqueued>() };
    this.waiting.push(each);
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
    if (this.isPlanned || this.flights >= MAX_FLIGHTS || this.waiting.length === 0) return;
    this.isPlanned = true;
    setImmediate(() => {
      this.isPlanned = false;
      const group = this.nextGroup();
      if (group.length === 0) return;
      this.waiting = this.waiting.slice(group.length);
      this.fly(group);
      this.plan();
    });
  }

  /** The first adds that wait, if they may go now: a statement with keys, on another connection than the one before, could draw its ids first. */
  private nextGroup(): readonly Waiting[] {
    const first = this.waiting.slice(0, MAX_GROUP);
    const alone = first.findIndex(({ work }) => work.uniqueKey !== undefined);
    const group = alone < 0 ? first : first.slice(0, Math.max(alone, 1));
    return this.isKeyedInFlight && group.some(hasKey) ? [] : group;
  }

  private fly(group: readonly Waiting[]): void {
    const isKeyed = group.some(hasKey);
    if (isKeyed) this.isKeyedInFlight = true;
    this.flights++;
    void this.write(group).finally(() => {
      if (isKeyed) this.isKeyedInFlight = false;
      this.flights--;
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
      // Bad work is refused before the statement, all of it: the others of the group are added without it.
      const isBad = FrameworkError.is(error) && error.code === "DURABLE_BAD_WORK" && group.length > 1;
      for (const { work, resolve, reject } of group)
        if (isBad) await this.addAlone(work).then(resolve, reject);
        else reject(error);
    }
  }
}

const hasKey = ({ work }: Waiting): boolean => work.key !== undefined;
