import { isPromise } from "@framework/core/feature";
import type { KernelBase } from "../../base/kernel-base.ts";
import type { AdmissionResult } from "../queue/admission.ts";
import type { QueueDefinition } from "../queue/queue-options.ts";
import type { ClaimedRow } from "../table/claiming.ts";
import { workCancelled, workLost, workReleased } from "../queue/work-errors.ts";
import type { WorkStore } from "../table/work-store.ts";
import { Attempt } from "./attempt.ts";
import { AttemptRunner } from "./attempt-runner.ts";
import type { Invoke } from "./invoke.ts";
import type { Outcomes } from "./outcomes.ts";
import type { Park } from "./park.ts";
import { Slots } from "./slots.ts";
import type { WorkCounts } from "./work-counts.ts";
import type { WorkTimes } from "./work-times.ts";

const MAX_CLOSED_MS = 3_600_000;

/** Dependencies of `QueueWorker`. */
export interface QueueWorkerParts {
  readonly base: KernelBase;
  readonly definition: QueueDefinition;
  readonly store: () => WorkStore;
  readonly outcomes: Outcomes;
  readonly park: Park;
  readonly invoke: Invoke;
  readonly times: WorkTimes;
  /** Called when a slot has become free or an attempt has ended. */
  readonly onFreed: () => void;
}

/** Number of ready items of a queue, and age of the oldest. */
export interface Backlog {
  readonly ready: number;
  readonly oldestReadyMs: number;
}

/** Claims items of one queue for this process, and holds them until their outcomes are written. */
export class QueueWorker {
  readonly definition: QueueDefinition;
  /** Whether there may be ready items. */
  isHinted = false;
  /** Backlog at the last count. */
  backlog: Backlog = { ready: 0, oldestReadyMs: 0 };
  /** Whether this process has claimed an item of the queue with a key. */
  hasKeys = false;
  /** Whether the admission grants no permits for now. */
  isClosed = false;
  private readonly parts: QueueWorkerParts;
  private readonly runner: AttemptRunner;
  private readonly slots: Slots;
  /** Attempts by item id; their leases are renewed. */
  private readonly held = new Map<number, Attempt>();
  private claiming: Promise<void> | null = null;
  /** Whether it has stopped claiming. */
  isDraining = false;
  private cancelOpening: () => void = () => {};

  constructor(parts: QueueWorkerParts) {
    const { definition, onFreed } = parts;
    this.parts = parts;
    this.definition = definition;
    this.slots = new Slots(definition.concurrency);
    const onEnded = (attempt: Attempt): void => {
      if (this.held.get(attempt.id) === attempt) this.held.delete(attempt.id);
      onFreed();
    };
    this.runner = new AttemptRunner({ ...parts, onEnded });
  }

  get counts(): WorkCounts {
    return this.runner.ends.counts;
  }

  /** Number of running handlers. */
  get running(): number {
    return this.slots.running;
  }

  /** Milliseconds since the last attempt ended in this process, or since the process began. */
  get sinceEndMs(): number {
    return this.runner.ends.sinceMs;
  }

  /** Number of items that gave up in this process in the past hour. */
  get gaveUpInHour(): number {
    return this.runner.ends.gaveUpInHour;
  }

  get heldAttempts(): readonly Attempt[] {
    return Array.from(this.held.values());
  }

  /** Number of items that may be claimed now. Items with unwritten outcomes are also held, so at most twice the concurrency is held. */
  get free(): number {
    if (this.isDraining || this.isClosed || this.claiming !== null) return 0;
    return Math.min(this.slots.free, 2 * this.definition.concurrency - this.held.size);
  }

  /** Whether no claim, handler or write of an outcome is pending. */
  get isIdle(): boolean {
    return this.claiming === null && this.held.size === 0 && this.running === 0;
  }

  /** Call when the process begins to work. */
  begin(): void {
    this.runner.ends.begin();
  }

  /** Claims as many items as there are free slots, if some may be ready. */
  claim(): void {
    const limit = this.free;
    if (!this.isHinted || limit <= 0) return;
    this.isHinted = false;
    this.claiming = this.claimUpTo(limit).finally(() => {
      this.claiming = null;
      this.parts.onFreed();
    });
  }

  private async claimUpTo(wanted: number): Promise<void> {
    const { base, definition } = this.parts;
    try {
      const admitted = definition.admission(wanted);
      const granted = isPromise(admitted) ? await admitted : admitted;
      const { permits, retryInMs } = granted;
      const claimed = permits === 0 ? 0 : await this.claimAdmitted(granted);
      if (claimed < permits) return;
      if (permits < wanted && (permits === 0 || retryInMs > 0)) this.close(retryInMs);
      else this.isHinted = true;
    } catch (error) {
      base.log.warn(`durable: items of "${definition.name}" could not be claimed`, { error }); // the next poll sets `isHinted` again
    }
  }

  /** Gives unused permits back, even if the claim fails. */
  private async claimAdmitted({ permits, giveBack }: AdmissionResult): Promise<number> {
    let claimed = 0;
    try {
      claimed = await this.claimAndStart(permits);
    } finally {
      if (claimed < permits) await giveBack(permits - claimed).catch(() => {}); // lost permits only slow the queue down for a while
    }
    return claimed;
  }

  private async claimAndStart(limit: number): Promise<number> {
    const { base, outcomes, definition } = this.parts;
    const { leaseMs } = base.config;
    const rows = await outcomes.claim({ queue: definition.name, owner: base.id, limit, leaseMs });
    for (const row of rows) this.start(row);
    return rows.length;
  }

  /** Claims nothing for `ms`, but at most for an hour, because timers have a maximum delay. */
  private close(ms: number): void {
    const { base, onFreed } = this.parts;
    this.isClosed = true;
    this.cancelOpening = base.clock.after(Math.min(Math.max(ms, 1), MAX_CLOSED_MS), () => {
      this.isClosed = false;
      this.isHinted = true;
      onFreed();
    });
  }

  private start(row: ClaimedRow): void {
    const attempt = new Attempt(row);
    attempt.beganAt = this.parts.base.clock.now();
    const before = this.held.get(row.id);
    if (before !== undefined) this.lose([before]); // its lease ended before this process knew
    this.held.set(row.id, attempt);
    if (row.key !== null) this.hasKeys = true;
    if (row.attempts === 1) this.recordWait(row);
    if (this.isDraining) this.runner.release(attempt, workReleased(this.definition.name));
    else this.runner.run(attempt, this.slots.take());
  }

  private recordWait({ wake_at: leaseEndsAt, run_at: dueAt }: ClaimedRow): void {
    const { base, times } = this.parts;
    times.recordWait(this.definition.name, leaseEndsAt - base.config.leaseMs - dueAt);
  }

  /** Ends the attempt at a cancelled item. */
  cancel(id: number): void {
    const attempt = this.held.get(id);
    if (attempt !== undefined) this.runner.lose(attempt, workCancelled(this.definition.name), "cancelled");
  }

  /** Ends attempts whose items are no longer held. */
  lose(attempts: Iterable<Attempt>): void {
    for (const attempt of attempts) this.runner.lose(attempt, workLost(this.definition.name));
  }

  /** Stops claiming. */
  drain(): void {
    this.isDraining = true;
    this.cancelOpening();
  }

  /** Gives running items back to the queue. */
  release(): void {
    for (const attempt of this.heldAttempts) this.runner.release(attempt, workReleased(this.definition.name));
    this.runner.end();
  }
}
