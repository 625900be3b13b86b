// More than 250 lines, because every way in which an attempt ends is decided in one place.
import type { Awaitable } from "@framework/core";
import { isPromise } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { KernelBase } from "../../base/kernel-base.ts";
import { jsonText } from "../queue/json-text.ts";
import { MAX_PAYLOAD_BYTES } from "../queue/new-work.ts";
import type { QueueDefinition } from "../queue/queue-options.ts";
import { workLost, workTimeout } from "../queue/work-errors.ts";
import type { WorkStore } from "../table/work-store.ts";
import type { Attempt } from "./attempt.ts";
import { attemptFailureText, lastFailureOf } from "./attempt-failure.ts";
import { AttemptItem, type ItemActions } from "./attempt-item.ts";
import { failureOf } from "../../parked/failure.ts";
import type { Invoke } from "./invoke.ts";
import type { Outcome } from "./outcome.ts";
import type { Outcomes } from "./outcomes.ts";
import { unstoredProgress } from "./unstored-progress.ts";
import type { Park } from "./park.ts";
import type { Slot } from "./slots.ts";
import { TimeLimits } from "./time-limits.ts";
import { verdictOn } from "./verdict.ts";
import { TryLaterError } from "../queue/try-later-error.ts";
import { untilEnded } from "../queue/work-item.ts";
import type { AttemptOutcome } from "./work-counts.ts";
import { AttemptEnds } from "./attempt-ends.ts";
import type { WorkTimes } from "./work-times.ts";

/** Delay of an item whose stored failure could not be read. */
const UNREAD_MS = 1000;

/** Dependencies of `AttemptRunner`. */
export interface AttemptRunnerParts {
  readonly base: KernelBase;
  readonly definition: QueueDefinition;
  readonly store: () => WorkStore;
  readonly outcomes: Outcomes;
  readonly park: Park;
  readonly invoke: Invoke;
  readonly times: WorkTimes;
  /** Called when an attempt has ended: its outcome was written or refused. */
  readonly onEnded: (attempt: Attempt) => void;
  /** Called when a slot is free. */
  readonly onFreed: () => void;
}

/** Runs the attempts of one queue and decides their outcomes. */
export class AttemptRunner implements ItemActions {
  readonly ends: AttemptEnds;
  private readonly parts: AttemptRunnerParts;
  private readonly limits: TimeLimits;

  constructor(parts: AttemptRunnerParts) {
    const { base, definition, times } = parts;
    this.parts = parts;
    this.ends = new AttemptEnds({ clock: base.clock, queue: definition.name, times });
    this.limits = new TimeLimits({
      clock: base.clock,
      limitMs: definition.timeoutMs,
      onReached: (attempt) => this.onTimeout(attempt),
    });
  }

  /** Stops the time limits. */
  end(): void {
    this.limits.stop();
  }

  get queue(): string {
    return this.parts.definition.name;
  }

  get kind(): string {
    return this.parts.definition.kind;
  }

  /** Calls the handler, and frees the slot when it has returned. */
  run(attempt: Attempt, slot: Slot): void {
    const { definition } = this.parts;
    attempt.slot = slot;
    if (attempt.row.attempts > definition.retry.attempts) return void this.giveUpWithoutRun(attempt);
    this.limits.begin(attempt);
    try {
      this.awaitHandler(attempt, this.parts.invoke(definition, new AttemptItem(attempt, this) as never));
    } catch (error) {
      this.onThrown(attempt, error);
    }
  }

  endAttempt(attempt: Attempt, error: Error | null): void {
    if (error === null) this.onReturned(attempt, undefined);
    else this.onThrown(attempt, error);
  }

  /** Ends an attempt whose item is no longer held. */
  lose(attempt: Attempt, reason: Error, outcome: "lost" | "cancelled" = "lost"): void {
    if (!attempt.end(reason)) return;
    this.ends.record(outcome, attempt, this.tookMs(attempt));
    this.parts.onEnded(attempt);
  }

  /** Gives an item back to the queue; the attempt does not count. */
  release(attempt: Attempt, reason: Error): void {
    this.write(attempt, "released", { state: "ready", attemptsBack: 1 }, reason);
  }

  async complete(attempt: Attempt, tx: Transaction, result: unknown): Promise<void> {
    const { settling, keyOrder } = this.parts.store();
    const { id, fence, row } = attempt;
    if (!attempt.isOpen) throw workLost(this.queue);
    if (this.keepsDone) await settling.progress(unstoredProgress([attempt]), tx);
    const held = this.keepsDone
      ? await settling.settle([{ id, fence, state: "done", result: this.resultText(result) }], tx)
      : await settling.remove([attempt], tx);
    if (!held.has(id)) {
      this.ends.counts.staleWrites++; // the attempt is counted as lost when it ends
      throw workLost(this.queue);
    }
    if (row.key !== null) await keyOrder.unblock(this.queue, [row.key], tx);
    tx.onCommit(() => this.onCompleted(attempt));
  }

  scheduleProgress(attempt: Attempt): void {
    this.parts.outcomes.addProgress(attempt);
  }

  private get keepsDone(): boolean {
    return this.parts.definition.keepSecs > 0;
  }

  /** A transaction of the handler has completed the item, even if the time limit passed during its commit. */
  private onCompleted(attempt: Attempt): void {
    const wasOpen = attempt.complete();
    this.ends.record("done", attempt, this.tookMs(attempt));
    if (wasOpen) this.parts.onEnded(attempt);
  }

  private awaitHandler(attempt: Attempt, returned: Awaitable<unknown>): void {
    if (returned === untilEnded) return;
    if (isPromise(returned))
      returned.then(
        (result) => this.onReturned(attempt, result),
        (error: unknown) => this.onThrown(attempt, error),
      );
    else this.onReturned(attempt, returned);
  }

  private onReturned(attempt: Attempt, result: unknown): void {
    this.succeed(attempt, result);
    this.releaseSlot(attempt);
  }

  private onThrown(attempt: Attempt, error: unknown): void {
    this.fail(attempt, error);
    this.releaseSlot(attempt);
  }

  /** Frees the slot of a handler that has returned. */
  private releaseSlot(attempt: Attempt): void {
    this.limits.end(attempt);
    attempt.slot?.release();
    attempt.slot = null;
    this.parts.onFreed();
  }

  private succeed(attempt: Attempt, result: unknown): void {
    if (!attempt.isOpen) return;
    if (!this.keepsDone) return this.write(attempt, "done", "remove");
    try {
      this.write(attempt, "done", { state: "done", result: this.resultText(result) });
    } catch (error) {
      this.giveUp(attempt, error); // the result cannot be stored: another attempt would only repeat the work
    }
  }

  /** A handler has reached its time limit. Its attempt may have ended before: completed, cancelled or lost. */
  private onTimeout(attempt: Attempt): void {
    const { base, definition, onFreed } = this.parts;
    if (attempt.isOpen) {
      this.ends.counts.timeouts++;
      this.fail(attempt, workTimeout(this.queue, definition.timeoutMs));
    }
    attempt.slot?.abandonAfter(base.clock, definition.timeoutMs, onFreed);
  }

  private fail(attempt: Attempt, error: unknown): void {
    const { base, definition } = this.parts;
    if (!attempt.isOpen) return;
    const verdict = verdictOn(error, attempt.row.attempts, definition, base.random);
    if (verdict === "exhausted") return this.giveUp(attempt, error);
    const { retryInMs: delayMs } = verdict;
    const state = delayMs > 0 ? "waiting" : "ready";
    if (TryLaterError.is(error)) return this.retryLater(attempt, error, state);
    this.write(attempt, "retried", { state, delayMs, error: attemptFailureText(error, attempt) }, error);
  }

  /**
   * Gives up without a call of the handler: the process was lost in the last attempt, the item waited because of `maxParked`, or a deployment has lowered
   * the number of attempts.
   */
  private async giveUpWithoutRun(attempt: Attempt): Promise<void> {
    try {
      const failure = await lastFailureOf(attempt, this.parts.store());
      if (attempt.isOpen) this.giveUp(attempt, failure, failure, 1);
    } catch (error) {
      this.parts.base.log.warn("durable: the failure of an item could not be read", {
        id: attempt.id,
        error,
      });
      this.write(attempt, "released", { state: "waiting", delayMs: UNREAD_MS, attemptsBack: 1 });
    }
    this.releaseSlot(attempt);
  }

  private retryLater(
    attempt: Attempt,
    { delayMs, isCounted }: TryLaterError,
    state: "waiting" | "ready",
  ): void {
    const outcome = isCounted ? "retried" : "released";
    this.write(attempt, outcome, { state, delayMs, attemptsBack: isCounted ? 0 : 1 });
  }

  private giveUp(attempt: Attempt, error: unknown, failure = failureOf(error), attemptsBack = 0): void {
    const { base, definition, park } = this.parts;
    if (definition.onExhausted === "park")
      return this.write(attempt, "parked", () => park({ definition, attempt, failure }), error);
    const [id, attempts] = [attempt.id, attempt.row.attempts - attemptsBack];
    base.log.error(`durable: an item of "${this.queue}" gave up`, { id, attempts, error });
    this.write(attempt, "failed", { state: "failed", error: JSON.stringify(failure), attemptsBack }, error);
  }

  /** Decides an outcome and schedules its write. @param error aborts the signal, because the handler may still run */
  private write(attempt: Attempt, outcome: AttemptOutcome, write: Outcome["write"], error?: unknown): void {
    const { onEnded, outcomes } = this.parts;
    if (!attempt.end(Error.isError(error) ? error : null)) return;
    const tookMs = this.tookMs(attempt);
    const onWritten = (isHeld: boolean): void => {
      if (isHeld) this.ends.record(outcome, attempt, tookMs);
      else if (!attempt.isCompleted) this.countRefused();
      onEnded(attempt);
      attempt.onSettled?.(isHeld);
    };
    outcomes.add({ queue: this.queue, attempt, write, onWritten });
  }

  private tookMs({ beganAt }: Attempt): number {
    return this.parts.base.clock.now() - beganAt;
  }

  /** Counts an attempt whose outcome was refused. */
  private countRefused(): void {
    this.ends.counts.staleWrites++;
    this.ends.counts.outcomes.lost++;
  }

  private resultText(result: unknown): string {
    return jsonText(result, { queue: this.queue, subject: "the result", maxBytes: MAX_PAYLOAD_BYTES });
  }
}
