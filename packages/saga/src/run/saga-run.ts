import { type RetryPolicy, retryDelayMs } from "@framework/core";
import type { Transaction } from "@framework/database";
import { failureOf } from "@framework/durable/feature";
import type { StepContext } from "../definition/context.ts";
import type { AnySaga } from "../definition/definition.ts";
import type { Branch, Step } from "../definition/step.ts";
import { stepTimeout, staleSaga } from "../errors/saga-errors.ts";
import type { Change } from "../store/change.ts";
import type { BranchState, Instance } from "../store/instance.ts";
import { keepOutputs } from "../store/keep-outputs.ts";
import type { Turn } from "../turns/turns.ts";
import { type AttemptParts, stepContext } from "./context-of.ts";
import type { FailureClass } from "./failure-class.ts";
import { retryOf } from "./retries.ts";
import type { RunnerParts } from "./runner-parts.ts";
import { abandonedCall, type AttemptLimits, withinLimit } from "./within-limit.ts";

/** An attempt at a branch: which one, and how long it may take. */
export interface Attempting extends Pick<AttemptParts, "step" | "branch" | "attempt" | "isUndo"> {
  /** Longest time in milliseconds, beside that of the step. @default no other limit */
  readonly atMostMs?: number;
}

/** One turn of one instance: what both directions share. */
export class SagaRun {
  readonly parts: RunnerParts;
  readonly definition: AnySaga;
  readonly turn: Turn;
  /** The instance as this worker last wrote it. */
  saga: Instance;
  private readonly readAt: number;
  private readonly activeMsBefore: number;
  /** Whether an operator has cancelled the saga meanwhile: what this turn has done is not written any more. */
  private isCancelled = false;

  constructor(parts: RunnerParts, definition: AnySaga, turn: Turn, saga: Instance) {
    this.parts = parts;
    this.definition = definition;
    this.turn = turn;
    this.saga = saga;
    this.readAt = parts.clock.now();
    this.activeMsBefore = saga.activeMs;
  }

  /** Milliseconds since the instance was read, by the clock of durations: clocks of hosts are never compared. */
  private get elapsedMs(): number {
    return this.parts.clock.now() - this.readAt;
  }

  /**
   * The saga's active time now. It is the sum of turns and planned pauses, not a difference of times: time in which no worker had the saga does not count,
   * because the queue was long, a worker was lost or none ran.
   */
  get activeMs(): number {
    return this.activeMsBefore + Math.ceil(this.elapsedMs);
  }

  /** The database's time now, from that of the read. */
  get now(): number {
    return this.saga.now + this.elapsedMs;
  }

  /** Writes a change; the transaction must be undone when it throws. */
  change(tx: Transaction, change: Change): Promise<Instance> {
    return this.parts.store.change(tx, this.saga, { activeMs: this.activeMs, ...change }, this.turn.held);
  }

  /** Writes a change in a transaction of its own. @param after ends the turn in the same transaction */
  async commit(change: Change, after?: (tx: Transaction) => Promise<void>): Promise<void> {
    this.saga = await this.parts.transaction(async (tx) => {
      const changed = await this.change(tx, change);
      await after?.(tx);
      return changed;
    });
  }

  /** Keeps the outputs of works for their undo, if the saga was cancelled while they ran. */
  async keepOutputs(branches: readonly BranchState[]): Promise<void> {
    await this.parts.transaction((tx) => keepOutputs(tx, this.saga.id, branches, this.turn.held));
  }

  /** Calls the program's function of an attempt, until its limit, or until the saga is cancelled. Nothing follows before the function has ended, or is abandoned. */
  attempt<T>(
    { atMostMs = Infinity, ...which }: Attempting,
    work: (context: StepContext, signal: AbortSignal) => T | PromiseLike<T>,
  ): Promise<T> {
    const { clock, limits, sender, insight, log } = this.parts;
    const { step, branch, attempt, isUndo = false } = which;
    const timeoutMs = Math.min(branch.timeoutMs ?? limits.stepTimeoutMs, Math.max(atMostMs, 1));
    const { name: saga, id, trace } = this.saga;
    const place = placeOf(step, branch);
    const limit: AttemptLimits = {
      clock,
      timeoutMs,
      signal: this.turn.signal,
      late: () => stepTimeout(place, timeoutMs),
      ...(!isUndo && { onStopped: (stop) => this.whenCancelled(stop) }),
      abandoned: () => log().warn(abandonedCall(saga, place), { id, attempt, isUndo }),
    };
    return withinLimit(limit, async (signal) => {
      const context = stepContext(this.definition, this.saga, { ...which, signal, sender: sender() });
      const observed = { saga, id, step: place, attempt, isUndo, trace };
      return (await insight.operations.run(observed, () => work(context, signal) as never)) as T;
    });
  }

  private whenCancelled(stop: (reason: Error) => void): () => void {
    return this.turn.onCancelled(() => {
      this.isCancelled = true;
      stop(staleSaga(this.saga.id));
    });
  }

  /** Classifies the error of an attempt, and counts it. */
  classOf(error: unknown): FailureClass {
    const kind = this.turn.signal.aborted || this.isCancelled ? "machinery" : this.parts.classOf(error);
    this.parts.insight.ended(this.saga.name, kind);
    return kind;
  }

  /** Attempts and delays of a branch. */
  retryOf(branch: Branch): RetryPolicy {
    return retryOf(branch, this.parts.limits);
  }

  delayMs(policy: RetryPolicy, attempt: number): number {
    return Math.ceil(retryDelayMs(policy, attempt, this.parts.random()));
  }
}

/** A step and its branch, for messages and the timeline. */
export const placeOf = ({ name }: Pick<Step, "name">, branch: Pick<Branch, "name">): string =>
  branch.name === "" ? name : `${name}/${branch.name}`;

/** JSON of a failure as it is stored: without its stack. */
export const failureText = (error: unknown): string => {
  const { name, message, code } = failureOf(error);
  return JSON.stringify({ name, message, code });
};
