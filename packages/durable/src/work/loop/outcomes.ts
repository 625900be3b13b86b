import type { Clock } from "@framework/core/feature";
import type { Logger } from "@framework/core";
import { DatabaseError } from "@framework/database";
import { type Claim, type ClaimedRow, isKeyConflict } from "../table/claiming.ts";
import type { WorkStore } from "../table/work-store.ts";
import type { Attempt } from "./attempt.ts";
import {
  canShareStatement,
  endedOf,
  fitsBatch,
  isAnotherAttempt,
  isPlain,
  type Outcome,
  takeBatch,
  toSettlement,
  writeAlone,
} from "./outcome.ts";
import { UnstoredProgress } from "./unstored-progress.ts";

/** Options of `Outcomes`. */
export interface OutcomesOptions {
  readonly store: () => WorkStore;
  readonly clock: Clock;
  readonly log: () => Pick<Logger, "warn" | "error">;
  /** Schedules a call of `flush` at the end of this turn of the event loop. */
  readonly schedule: () => void;
  /** Called with a queue in which items of a key may have become ready. */
  readonly onFreed: (queue: string) => void;
  /** Called with the delay of an item's next attempt. */
  readonly onDueIn: (delayMs: number) => void;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;

/** Maximum number of outcomes that share a statement with a claim: with more, two concurrent statements are faster. */
const MAX_SHARED = 100;

/** Maximum number of attempts to write an outcome that the database rejects, not counting an unavailable database; afterwards its lease expires. */
const MAX_REJECTIONS = 20;

/** Writes the outcomes of one turn of the event loop in one statement for each form, and retries while the database is unavailable. */
export class Outcomes {
  private readonly options: OutcomesOptions;
  private readonly rejections = new WeakMap<Outcome, number>();
  private waiting: Outcome[] = [];
  private readonly progress: UnstoredProgress;
  private flushing: Promise<void> | null = null;
  private pauseMs = FIRST_PAUSE_MS;
  private cancelPause: (() => void) | null = null;
  private hasEnded = false;

  constructor(options: OutcomesOptions) {
    this.options = options;
    this.progress = new UnstoredProgress(options);
  }

  add(outcome: Outcome): void {
    if (outcome.write === "remove") this.progress.forget(outcome.attempt);
    this.waiting.push(outcome);
    this.options.schedule();
  }

  /** Schedules a write of the attempt's progress. Only the last value is stored. */
  addProgress(attempt: Attempt): void {
    this.progress.add(attempt);
    this.options.schedule();
  }

  /** Drops unwritten outcomes, because the leases have ended. */
  drop(): void {
    const dropped = this.waiting;
    this.waiting = [];
    this.progress.clear();
    for (const { onWritten } of dropped) onWritten(false);
  }

  /** Resolves when everything has been written, or after one failed attempt. */
  async flushAll(): Promise<void> {
    this.endPause();
    for (this.flush(); this.flushing !== null && this.cancelPause === null; this.flush()) await this.flushing;
  }

  /** Writes nothing more: the leases of the remaining items expire. */
  end(): void {
    this.hasEnded = true;
    this.endPause();
  }

  /** Claims items. Waiting outcomes of the queue for items without keys are written in the same round trip. */
  async claim(claim: Claim): Promise<readonly ClaimedRow[]> {
    const { claiming, turnover } = this.options.store();
    const outcomes = this.takePlain(claim.queue);
    if (outcomes.length === 0) return await claiming.claim(claim);
    try {
      const { held, claimed } = await turnover.run(endedOf(outcomes), claim);
      for (const { attempt, onWritten } of outcomes) onWritten(held.has(attempt.id));
      return claimed;
    } catch (error) {
      this.requeue(outcomes, error);
      if (isKeyConflict(error)) return await claiming.claim(claim);
      this.pause();
      throw error;
    }
  }

  /** Removes and returns the waiting outcomes of a queue that finish items without keys in the same way. */
  private takePlain(queue: string): readonly Outcome[] {
    if (this.cancelPause !== null) return [];
    const [taken, remaining]: [Outcome[], Outcome[]] = [[], []];
    for (const outcome of this.waiting) {
      const isTaken =
        outcome.queue === queue && isPlain(outcome) && canShareStatement(outcome, taken[0] ?? outcome);
      (isTaken ? taken : remaining).push(outcome);
    }
    if (taken.length > MAX_SHARED || !fitsBatch(taken)) return [];
    this.waiting = remaining;
    return taken;
  }

  /** Writes waiting outcomes, unless a write is running or paused, or writing has ended. */
  flush(): void {
    if (this.hasSome && this.cancelPause === null && !this.hasEnded) this.flushing ??= this.writeWaiting();
  }

  private get hasSome(): boolean {
    return this.waiting.length > 0 || this.progress.hasSome;
  }

  /** Outcomes added meanwhile are written at the end of a later turn of the event loop, with the next claim. */
  private async writeWaiting(): Promise<void> {
    const batch = takeBatch(this.waiting);
    const ended = batch.map(({ attempt }) => attempt).filter(({ progress }) => progress !== null);
    const progress = this.progress.write(ended);
    if (ended.length > 0) await progress;
    await Promise.all([this.writeAll(batch), progress]);
    this.flushing = null;
    if (this.hasSome) this.options.schedule();
  }

  private async writeAll(batch: readonly Outcome[]): Promise<void> {
    const { settling } = this.options.store();
    const removed = batch.filter(({ write }) => write === "remove");
    const settled = batch.filter(({ write }) => typeof write === "object");
    const alone = batch.filter(({ write }) => typeof write === "function");
    const results = await Promise.all([
      this.group(removed, () => settling.remove(removed.map(({ attempt }) => attempt))),
      this.group(settled, () => settling.settle(settled.map(toSettlement))),
      ...alone.map((outcome) => this.group([outcome], () => writeAlone(outcome))),
    ]);
    if (results.every((isWritten) => isWritten)) this.pauseMs = FIRST_PAUSE_MS;
    else this.pause();
  }

  /** Writes outcomes in one statement. Returns `false` if they must be written again. */
  private async group(
    outcomes: readonly Outcome[],
    write: () => Promise<ReadonlySet<number>>,
  ): Promise<boolean> {
    if (outcomes.length === 0) return true;
    try {
      const held = await write();
      for (const { attempt, onWritten } of outcomes) onWritten(held.has(attempt.id));
    } catch (error) {
      this.requeue(outcomes, error);
      return false;
    }
    for (const { write } of outcomes)
      if (typeof write === "object" && write.state === "waiting") this.options.onDueIn(write.delayMs ?? 0);
    await this.unblockKeys(outcomes);
    return true;
  }

  private requeue(outcomes: readonly Outcome[], error: unknown): void {
    const { log } = this.options;
    for (const outcome of outcomes) {
      const rejections = (this.rejections.get(outcome) ?? 0) + (error instanceof DatabaseError ? 1 : 0);
      this.rejections.set(outcome, rejections);
      if (rejections < MAX_REJECTIONS) this.waiting.push(outcome);
      else {
        log().error("durable: the outcome of an item cannot be stored", { queue: outcome.queue, error });
        outcome.onWritten(false);
      }
    }
  }

  /** Unblocks the next items of keys. If this process is killed before, `KeyOrder.heal` does it later. */
  private async unblockKeys(outcomes: readonly Outcome[]): Promise<void> {
    const { store, onFreed } = this.options;
    const keys = new Map<string, string[]>();
    for (const { queue, attempt, write } of outcomes) {
      if (attempt.row.key === null || isAnotherAttempt(write)) continue;
      const known = keys.get(queue);
      if (known === undefined) keys.set(queue, [attempt.row.key]);
      else known.push(attempt.row.key);
    }
    for (const [queue, ended] of keys) {
      await store()
        .keyOrder.unblock(queue, ended)
        .catch(() => {});
      onFreed(queue);
    }
  }

  private endPause(): void {
    this.cancelPause?.();
    this.cancelPause = null;
  }

  private pause(): void {
    if (this.hasEnded) return;
    const { clock } = this.options;
    this.endPause();
    this.cancelPause = clock.after(this.pauseMs, () => {
      this.endPause();
      this.flush();
    });
    this.pauseMs = Math.min(this.pauseMs * 2, MAX_PAUSE_MS);
  }
}
